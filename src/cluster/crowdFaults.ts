// What a namespace is told that has more terms, resources or PodDisruptionBudgets than are worked out.
import { type Crowd, type Excess, mostResources } from './crowding.ts';
import type { Fault } from './fault.ts';

/** What is too much, and what to do, for the fault and for the refusal. */
export const excessWords: Readonly<Record<Excess, { readonly what: string; readonly help: string }>> = {
  terms: {
    what: 'its distinct affinity terms and spread constraints together mean more pods than Lull counts (20 for each pod of the cluster, and 10,000)',
    help: "Let pods of a workload share their terms: select by a label that only the workload's own pods carry, not by one that differs from pod to pod.",
  },
  resources: {
    what: `its pods request more than ${mostResources} different resources`,
    help: `Request at most ${mostResources} different resources in one namespace.`,
  },
  budgets: {
    what: 'its PodDisruptionBudgets together mean more pods than Lull counts (20 for each pod of the namespace, and 10,000)',
    help: 'Let one PodDisruptionBudget mean each pod: select by a label that only its own workload carries.',
  },
};

const paths: Readonly<Record<Excess, string>> = {
  terms: 'pods[*].spec.affinity',
  resources: 'pods[*].spec.containers[*].resources.requests',
  budgets: 'poddisruptionbudgets[*].spec.selector',
};

export const crowdFaults = (crowded: readonly Crowd[]): readonly Fault[] =>
  crowded.flatMap(([namespace, all]) =>
    all.map((excess): Fault => {
      const { what, help } = excessWords[excess];
      const message = `Not worked out: ${what}. The nodes of these pods are held. ${help}`;
      return { object: `Namespace/${namespace}`, path: paths[excess], value: undefined, message, severity: 'warning' };
    }),
  );
