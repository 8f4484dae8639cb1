// Which budgets does Karpenter itself read, and how much does it matter if it reads them otherwise (N4)?
import type { Policy, Severity } from '../rule.ts';
import { type WrittenPool, writtenPools } from './writtenPools.ts';

/** Pools whose budgets stand in the spec: there Karpenter reads them too. An older Provisioner's Karpenter knows none. */
export const poolsKarpenterReads = (policy: Policy): WrittenPool[] =>
  writtenPools(policy).filter(({ pool }) => pool.budgetsFrom === 'spec' && !pool.provisioner);

/** In guide Karpenter's hands do the work, so what it cannot read is a fault of the pool. */
export const severityBeside = ({ settings }: Policy, otherwise: Severity): Severity =>
  settings.role === 'guide' ? 'error' : otherwise;

/** Where such budgets belong beside Karpenter (C17). */
export const useAnnotation =
  'Beside Karpenter, keep these budgets in the annotation lull.dev/budgets, and in the spec a limit that Karpenter can read, such as budgets: [{nodes: "10%"}].';
