// What did the user give that cannot be used, and where does it stand (L7)?
import { escapeControls } from '../kinds/escaping.ts';

export interface Problem {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** `Kind/name` or `Kind/namespace/name`. */
  readonly object?: string | undefined;
  readonly path?: string | undefined;
  readonly message: string;
}

/** Wrong usage or unreadable input. Nothing of it is used by halves: every problem found so far is told at once. */
export class Failure extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(problems.map(({ message }) => message).join('\n'), options);
    this.problems = problems;
  }
}

/** Everything has been told; only the exit status is left to say that something was found (L7). */
export class Found extends Error {}

/** Everything has been told; the exit status says that a part of it was left undone on purpose (L7). */
export class Unfinished extends Error {}

export const wrongUsage = (message: string): Failure => new Failure([{ message }]);

/** `FILE:LINE: OBJECT path: message`, without what does not apply. */
export function formatProblem({ file, line, object, path, message }: Problem): string {
  const place = file === undefined ? 'lull' : line === undefined ? file : `${file}:${line}`;
  const subject = [object, path].filter((part) => part).join(' ');
  return escapeControls(`${place}: ${subject === '' ? '' : `${subject}: `}${message}`);
}

export const problemsAsJson = (problems: readonly Problem[]): string =>
  `${JSON.stringify({ errors: problems.map(({ file, line, column, object, path, message }) => ({ file, line, column, object, path, message })) }, null, 2)}\n`;
