// Places in a source where one small edit changes what it does: operators, constants, conditions and statements.
import { isTest, readSources, type Source, type Syntax } from '../../test/architecture/sources.ts';

export interface Site {
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly kind: 'operator' | 'constant' | 'condition' | 'statement';
  readonly from: string;
  readonly to: string;
}

const operators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
};

export const sitesIn = (folders: readonly string[]): readonly Site[] =>
  readSources(...folders)
    .filter((source) => !isTest(source))
    .flatMap((source) => source.syntax.flatMap((node) => sitesOf(node, source)));

function sitesOf(node: Syntax, source: Source): readonly Site[] {
  const site = (of: Range, kind: Site['kind'], to: string): Site => ({
    file: source.path,
    line: source.text.slice(0, of.start).split('\n').length,
    start: of.start,
    end: of.end,
    kind,
    from: source.text.slice(of.start, of.end),
    to,
  });
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return operatorSites(node, source, site);
    case 'Literal':
      return constantSites(node, site);
    case 'UnaryExpression':
      return node.operator === '!' ? [site(rangeOf(node), 'condition', textOf(node.argument, source))] : [];
    case 'IfStatement':
    case 'ConditionalExpression':
      return ['true', 'false'].map((to) => site(rangeOf(node.test), 'condition', to));
    case 'ExpressionStatement':
      return [site(rangeOf(node), 'statement', ';')];
    case 'ContinueStatement':
    case 'BreakStatement':
      return [site(rangeOf(node), 'statement', ';')];
    default:
      return [];
  }
}

type MakeSite = (of: Range, kind: Site['kind'], to: string) => Site;

function operatorSites(node: Syntax, { text }: Source, site: MakeSite): readonly Site[] {
  const operator = String(node.operator);
  const to = operators[operator];
  const start = text.indexOf(operator, rangeOf(node.left).end);
  // Subtraction is not defined for concatenated strings.
  const isText = operator === '+' && [node.left, node.right].some((side) => isTextual(side as Syntax));
  return to === undefined || isText ? [] : [site({ start, end: start + operator.length }, 'operator', to)];
}

const isTextual = ({ type, value }: Syntax): boolean => type === 'TemplateLiteral' || typeof value === 'string';

function constantSites(node: Syntax, site: MakeSite): readonly Site[] {
  if (typeof node.value === 'number') return [site(rangeOf(node), 'constant', String(node.value + 1))];
  return typeof node.value === 'boolean' ? [site(rangeOf(node), 'constant', String(!node.value))] : [];
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const rangeOf = (node: unknown): Range => node as Range;

const textOf = (node: unknown, { text }: Source): string => text.slice(rangeOf(node).start, rangeOf(node).end);
