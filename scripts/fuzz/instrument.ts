// Puts a counter into every branch of a bundle: functions, both sides of conditions, loops, cases and right operands of logical operators.
import { parseAst } from 'vitest/node';

interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export interface Instrumented {
  readonly code: string;
  /** How many there are. */
  readonly counters: number;
  /** Short string literals of the code: what the parsers compare with. */
  readonly words: readonly string[];
}

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

/** The counters are the bytes of `globalThis.fuzzCounters`, which must exist when the code runs. */
export function instrument(code: string): Instrumented {
  const inserts: { readonly at: number; readonly text: string; readonly closes: boolean }[] = [];
  const words = new Set<string>();
  let counters = 0;
  const count = (): string => `fuzzCounters[${counters++}]++`;
  const insert = (at: number, text: string, closes = false): void => void inserts.push({ at, text, closes });

  const expression = (value: unknown): void => {
    if (!isSyntax(value)) return;
    insert(value.start, `(${count()},`);
    insert(value.end, ')', true);
  };
  const statement = (value: unknown): void => {
    if (!isSyntax(value)) return;
    if (value.type === 'BlockStatement') insert(value.start + 1, `${count()};`);
    else {
      insert(value.start, `{${count()};`);
      insert(value.end, '}', true);
    }
  };

  const visit = (syntax: Syntax): void => {
    switch (syntax.type) {
      case 'FunctionDeclaration':
      case 'FunctionExpression':
        statement(syntax.body);
        break;
      case 'ArrowFunctionExpression':
        if (isSyntax(syntax.body) && syntax.body.type === 'BlockStatement') statement(syntax.body);
        else expression(syntax.body);
        break;
      case 'IfStatement':
        statement(syntax.consequent);
        statement(syntax.alternate);
        break;
      case 'ForStatement':
      case 'ForOfStatement':
      case 'ForInStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
      case 'CatchClause':
        statement(syntax.body);
        break;
      case 'SwitchCase': {
        const [first] = Array.isArray(syntax.consequent) ? (syntax.consequent as unknown[]) : [];
        if (isSyntax(first)) insert(first.start, `${count()};`);
        break;
      }
      case 'ConditionalExpression':
        expression(syntax.consequent);
        expression(syntax.alternate);
        break;
      case 'LogicalExpression':
        expression(syntax.right);
        break;
      case 'Literal':
        if (typeof syntax.value === 'string' && syntax.value.length > 1 && syntax.value.length < 40)
          words.add(syntax.value);
        break;
    }
    for (const value of Object.values(syntax)) {
      if (isSyntax(value)) visit(value);
      else if (Array.isArray(value)) for (const each of value) if (isSyntax(each)) visit(each);
    }
  };
  visit(parseAst(code) as unknown as Syntax);

  // If one ends where another begins, the end comes first; if two begin, the outer one, which was found first.
  const ordered = inserts.map((each, index) => ({ ...each, index }));
  ordered.sort(
    (a, b) => a.at - b.at || Number(b.closes) - Number(a.closes) || (a.closes ? b.index - a.index : a.index - b.index),
  );
  let [written, from] = ['', 0];
  for (const { at, text } of ordered) {
    written += code.slice(from, at) + text;
    from = at;
  }
  return {
    code: `const fuzzCounters = globalThis.fuzzCounters;\n${written}${code.slice(from)}`,
    counters,
    words: [...words],
  };
}
