// How is a pool with these budgets written? For tests of rules, which are about little else.

/** A NodePool; the budgets are entries of a list, `more` is beside them under `disruption`. */
export const poolText = (budgets: string, more = ''): string =>
  `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
${indent(more, 4)}    budgets:
${indent(budgets, 6)}`;

/** The same, with the budgets in the annotation (C17). */
export const annotatedText = (budgets: string): string =>
  `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default
  annotations:
    lull.dev/budgets: |
${indent(budgets, 6)}spec: {}
`;

/** Nodes of the pool `default`, of which the first half of the name is the zone: `a-1` is in zone a. */
export const nodesText = (names: readonly string[]): string => `---
apiVersion: v1
kind: List
items:
${names.map(nodeText).join('')}`;

const nodeText = (name: string): string =>
  `  - {apiVersion: v1, kind: Node, metadata: {name: ${name}, labels: {karpenter.sh/nodepool: default, karpenter.sh/registered: "true", karpenter.sh/initialized: "true", topology.kubernetes.io/zone: ${name.split('-')[0]}}}, status: {conditions: [{type: Ready, status: "True"}]}}
  - {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: ${name}, labels: {karpenter.sh/nodepool: default}}, status: {nodeName: ${name}, conditions: [{type: Initialized, status: "True"}]}}
`;

const indent = (text: string, by: number): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `${' '.repeat(by)}${line}\n`)
    .join('');
