// The code blocks of a guide page, in order: the commands to type and the output to expect.

export interface Step {
  /** The heading it is under. */
  readonly heading: string;
  readonly line: number;
  readonly script: string;
  /** Absent = the reader's first terminal; there a script ends before the next begins. */
  readonly terminal?: string;
  /** Seconds: repeated until it prints what is shown. */
  readonly until?: number;
  /** Its output, line by line; `…` is anything. */
  readonly shown: readonly string[];
  /** Ends a program with Ctrl-C instead of running one: the name of its terminal. */
  readonly interrupts?: string;
}

/** How long to repeat if the page does not say. */
const usualPatience = 120;

const part =
  /^(?:#{1,4} (?<heading>.+)|```(?<language>\w+)(?<marks>[^\n]*)\n(?<text>[\s\S]*?)^```|<!-- Ctrl-C (?<stops>\w+) -->)$/gm;

/** `sh` is run; `sh terminal=NAME` keeps running in its own terminal, `sh until` is repeated, `sh by hand` is left to the reader. */
export function readPage(page: string): Step[] {
  const steps: Step[] = [];
  let heading = '';
  for (const found of page.matchAll(part)) {
    const { heading: title, language, marks = '', text = '', stops } = found.groups ?? {};
    const line = page.slice(0, found.index).split('\n').length;
    if (title) heading = title;
    else if (stops) steps.push({ heading, line, script: '', shown: [], interrupts: stops });
    else if (language === 'sh' && marks.trim() !== 'by hand')
      steps.push({ heading, line, script: text, shown: [], ...readMarks(marks) });
    else if (language === 'text') {
      const last = steps.pop();
      if (!last) throw new Error(`line ${line}: no command before this block could print it`);
      steps.push({ ...last, shown: text.trimEnd().split('\n') });
    }
  }
  return steps;
}

export function readMarks(marks: string): Pick<Step, 'terminal' | 'until'> {
  const [, terminal] = /terminal=(\w+)/.exec(marks) ?? [];
  const [until, seconds] = /until(?:=(\d+))?/.exec(marks) ?? [];
  return { ...(terminal && { terminal }), ...(until && { until: seconds ? Number(seconds) : usualPatience }) };
}

/** The first line that is shown and not printed, in this order; undefined = all are printed. Other lines may come between them, and lines may be wrapped. */
export function firstMissing(shown: readonly string[], printed: string): string | undefined {
  let from = 0;
  for (const line of shown) {
    const found = patternOf(line).exec(printed.slice(from));
    if (!found) return line;
    from += found.index + found[0].length;
  }
  return undefined;
}

const patternOf = (line: string): RegExp =>
  new RegExp(
    line
      .trim()
      .split(/\s*…\s*/)
      .map((piece) => piece.split(/\s+/).map(escaped).join('\\s+'))
      .join('[^\\n]*?'),
  );

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
