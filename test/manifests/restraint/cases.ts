// Every case of restraint (N12): one table, asked of the rules by themselves (restraint.test.ts) and of a real API server (12-restraint).
import type { Case } from './case.ts';
import { nodeClaims } from './claims.ts';
import { nodes, pods } from './nodesAndPods.ts';
import { deployments, nodePools, own, windows } from './poolsAndOwn.ts';

export const restraintCases: readonly Case[] = [
  ...nodes,
  ...pods,
  ...nodeClaims,
  ...nodePools,
  ...windows,
  ...own,
  ...deployments,
];
