// Parses PromQL with Prometheus' own grammar; rejects what the evaluator does not support.
import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';
import { secondsOf } from './duration.ts';

export interface Matcher {
  readonly label: string;
  readonly op: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

export interface Selector {
  readonly kind: 'selector';
  readonly metric: string;
  readonly matchers: readonly Matcher[];
  /** Seconds; absent = an instant vector. */
  readonly range?: number;
}

export interface Grouping {
  readonly by: boolean;
  readonly labels: readonly string[];
}

export type Expr =
  | Selector
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expr[] }
  | { readonly kind: 'aggregate'; readonly op: string; readonly grouping: Grouping; readonly of: Expr }
  | {
      readonly kind: 'binary';
      readonly op: string;
      readonly isBool: boolean;
      /** `by` = on, else ignoring. */
      readonly matching: Grouping;
      readonly left: Expr;
      readonly right: Expr;
    };

export function parseExpr(text: string): Expr {
  const top = parser.parse(text).topNode;
  top.cursor().iterate((node) => {
    if (node.type.isError) throw new Error(`not PromQL, at ${node.from}: ${text}`);
  });
  return readExpr(only(top), text);
}

const wordsOf = (node: SyntaxNode, text: string): string => text.slice(node.from, node.to);

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

function only(node: SyntaxNode): SyntaxNode {
  const [child] = childrenOf(node);
  if (!child) throw new Error(`${node.name} is empty`);
  return child;
}

const readers: Readonly<Record<string, (node: SyntaxNode, text: string) => Expr>> = {
  VectorSelector: readSelector,
  MatrixSelector: readRange,
  NumberDurationLiteral: (node, text) => ({ kind: 'number', value: numberOf(wordsOf(node, text)) }),
  ParenExpr: (node, text) => readExpr(only(node), text),
  UnaryExpr: readNegated,
  FunctionCall: readCall,
  AggregateExpr: readAggregate,
  BinaryExpr: readBinary,
};

function readExpr(node: SyntaxNode, text: string): Expr {
  const reader = readers[node.name];
  if (!reader) throw new Error(`${node.name} is not supported by this evaluator: ${wordsOf(node, text)}`);
  return reader(node, text);
}

function readSelector(node: SyntaxNode, text: string): Selector {
  const name = node.getChild('Identifier');
  const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
  return {
    kind: 'selector',
    metric: name ? wordsOf(name, text) : '',
    matchers: matchers.map((matcher) => {
      const [label, op, value] = childrenOf(matcher).map((it) => wordsOf(it, text));
      return { label: label ?? '', op: op as Matcher['op'], value: JSON.parse(value ?? '""') as string };
    }),
  };
}

function readRange(node: SyntaxNode, text: string): Selector {
  const [vector, range] = childrenOf(node);
  if (vector?.name !== 'VectorSelector' || !range) throw new Error(`not a range: ${wordsOf(node, text)}`);
  return { ...readSelector(vector, text), range: secondsOf(wordsOf(range, text)) };
}

function readNegated(node: SyntaxNode, text: string): Expr {
  const [sign, of] = childrenOf(node);
  if (!sign || !of) throw new Error(`nothing to negate: ${wordsOf(node, text)}`);
  const value = readExpr(of, text);
  return wordsOf(sign, text) === '+' ? value : { ...plain('*'), left: { kind: 'number', value: -1 }, right: value };
}

const plain = (op: string) => ({ kind: 'binary', op, isBool: false, matching: { by: false, labels: [] } }) as const;

function readCall(node: SyntaxNode, text: string): Expr {
  const [name, body] = childrenOf(node);
  if (!name || !body) throw new Error(`not a call: ${wordsOf(node, text)}`);
  return { kind: 'call', name: wordsOf(name, text), args: childrenOf(body).map((it) => readExpr(it, text)) };
}

function readAggregate(node: SyntaxNode, text: string): Expr {
  const op = node.getChild('AggregateOp');
  const body = node.getChild('FunctionCallBody');
  if (!op || !body) throw new Error(`not an aggregation: ${wordsOf(node, text)}`);
  const modifier = node.getChild('AggregateModifier');
  const grouping = modifier ? groupingOf(modifier, text, 'By') : { by: true, labels: [] };
  return { kind: 'aggregate', op: wordsOf(op, text), grouping, of: readExpr(only(body), text) };
}

function readBinary(node: SyntaxNode, text: string): Expr {
  const [left, op, ...rest] = childrenOf(node);
  const right = rest.at(-1);
  if (!left || !op || !right) throw new Error(`not an operation: ${wordsOf(node, text)}`);
  const clause = node.getChild('MatchingModifierClause');
  if (clause?.getChild('GroupLeft') || clause?.getChild('GroupRight')) throw new Error('group_left is not supported');
  return {
    ...plain(wordsOf(op, text)),
    isBool: node.getChild('BoolModifier') !== null,
    ...(clause && { matching: groupingOf(clause, text, 'On') }),
    left: readExpr(left, text),
    right: readExpr(right, text),
  };
}

function groupingOf(node: SyntaxNode, text: string, word: string): Grouping {
  const labels = node.getChild('GroupingLabels')?.getChildren('LabelName') ?? [];
  return { by: node.getChild(word) !== null, labels: labels.map((it) => wordsOf(it, text)) };
}

const numberOf = (text: string): number => (Number.isNaN(Number(text)) ? secondsOf(text) : Number(text));
