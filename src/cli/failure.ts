// Errors that the user can fix, with their position in the input (L7).
import { escapeControls } from '../kinds/text/escaping.ts';

export interface Problem {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** `Kind/name` or `Kind/namespace/name`. */
  readonly object?: string | undefined;
  readonly path?: string | undefined;
  readonly message: string;
}

/** Wrong usage or unreadable input, with all problems found so far. */
export class Failure extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(problems.map(({ message }) => message).join('\n'), options);
    this.problems = problems;
  }
}

/** Thrown after all output, to exit with the status for findings (L7). */
export class ExitWithFindings extends Error {}

/** Thrown after all output, to exit with the status for work left undone on purpose (L7). */
export class ExitUnfinished extends Error {}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Such as `ENOENT`; empty if there is none. */
export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

export const wrongUsage = (message: string): Failure => new Failure([{ message }]);

/** `FILE:LINE: OBJECT path: message`, without the parts that do not apply. */
export function formatProblem({ file, line, object, path, message }: Problem): string {
  const place = file === undefined ? 'lull' : line === undefined ? file : `${file}:${line}`;
  const subject = [object, path].filter((part) => part).join(' ');
  return escapeControls(`${place}: ${subject === '' ? '' : `${subject}: `}${message}`);
}

export const problemsAsJson = (problems: readonly Problem[]): string =>
  `${JSON.stringify({ errors: problems.map(({ file, line, column, object, path, message }) => ({ file, line, column, object, path, message })) }, null, 2)}\n`;
