// The code blocks of a guide page, in order: the commands to type and the output to expect.

export interface Step {
  /** The heading it stands under. */
  readonly heading: string;
  readonly line: number;
  readonly script: string;
  /** Absent = the reader's first terminal; there the script is over before the next begins. */
  readonly terminal?: string;
  /** Seconds: looked at again until it prints what is shown. */
  readonly until?: number;
  /** What it prints, line by line; `…` is anything. */
  readonly shown: readonly string[];
  /** Ended with Ctrl-C instead of run: the name of its terminal. */
  readonly interrupts?: string;
}

/** How long one looks again where the page does not say. */
const usualPatience = 120;

const part =
  /^(?:#{1,4} (?<heading>.+)|```(?<language>\w+)(?<marks>[^\n]*)\n(?<text>[\s\S]*?)^```|<!-- Ctrl-C (?<stops>\w+) -->)$/gm;

/** `sh` is run; `sh terminal=NAME` stays running in one of its own, `sh until` is looked at again, `sh by hand` is left to the reader. */
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
      if (!last) throw new Error(`line ${line}: nothing was typed that could print this`);
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

/** The first line that is shown and not printed, in this order; undefined = all are there. Lines may stand between them, and may be wrapped. */
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
