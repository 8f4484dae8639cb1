// Lint rules about PodDisruptionBudgets (E10).
import { memo } from '../../cluster/memo.ts';
import type { Pdb } from '../../cluster/model.ts';
import { isEvictable } from '../../cluster/pod.ts';
import { show } from '../../kinds/read/findings.ts';
import { andList, capital, count, groupsOf, someOf } from '../../time/lists.ts';
import { nearLabel } from '../facts/windows.ts';
import { writtenAt } from '../facts/writtenObjects.ts';
import { countPods, type PodFacts, pdbObject, podFacts, type WrittenPod } from '../facts/writtenPods.ts';
import { checkEach, type LintPolicy, type LintRule } from '../rule.ts';

export const evictionBudgetsRules: readonly LintRule[] = [
  {
    name: 'pdb-never-allows',
    severity: 'warning',
    finds: 'A PodDisruptionBudget that allows no eviction even when all its pods are healthy.',
    why: 'Nodes with such pods can be disrupted only for repair, forcefully, or with a terminationGracePeriod, which overrides the PodDisruptionBudget.',
    check: checkEach(soundPdbs, ({ pdb, object }, policy) => {
      const why = neverAllows(pdb, (...keys) => writtenAt(policy, object, ...keys), podFacts(policy));
      return (
        why && {
          path: `spec.${why.field}`,
          message: `${why.message}, so none of its pods can ever be evicted and their nodes cannot be drained.`,
          suggestion: why.suggestion ?? 'Write maxUnavailable: 1 instead.',
        }
      );
    }),
  },
  {
    name: 'pdb-selects-nothing',
    severity: 'warning',
    finds: 'A PodDisruptionBudget that selects none of the pods in its namespace.',
    why: 'The pods it was written for are not protected: a drain may evict all of them at the same time.',
    check: checkEach(soundPdbs, ({ pdb, object }, policy) => {
      const { pods, guarded } = podFacts(policy);
      const neighbours = podsByNamespace(policy).get(pdb.namespace) ?? [];
      const expected = writtenAt(policy, object, 'status', 'expectedPods');
      // If the status counts pods, or the input has none of the namespace, the input may be only a part of the cluster.
      const isWhole = neighbours.length > 0 || (expected === 0 && pods.length > 0);
      if (typeof expected === 'number' && expected > 0) return undefined;
      if (pdb.selector.nothing)
        return {
          message: 'It has no selector, which in policy/v1 selects no pods: it protects nothing.',
          suggestion:
            'Select the pods, for example with selector: {matchLabels: {app: cart}}; selector: {} selects every pod in the namespace.',
        };
      if (!isWhole || guarded.has(pdb)) return undefined;
      const labels = neighbours.map(({ pod }) => pod.labels);
      return {
        message: `It selects none of the pods in its namespace (the input has ${neighbours.length > 0 ? countPods(neighbours) : 'none'}): it protects nothing.`,
        suggestion: nearLabel(pdb.selector.requirements, labels) ?? 'Select labels that the pods have, or remove it.',
      };
    }),
  },
  {
    name: 'pdb-two-on-one-pod', // E10
    severity: 'error',
    finds: 'Pods that two or more PodDisruptionBudgets select.',
    why: 'Kubernetes refuses to evict such a pod, whatever the budgets allow: its node can never be drained.',
    *check(policy) {
      const overlapping = podFacts(policy).pods.filter(isOverlapping);
      for (const pods of groupsOf(overlapping, ({ pdbs }) => pdbs.map(({ pdb }) => pdbObject(pdb)).join(' '))) {
        const [first, ...others] = pods[0].pdbs.map(({ pdb }) => pdb);
        if (!first) continue;
        yield {
          object: pdbObject(first),
          path: 'spec.selector',
          message: `${capital(namePodsOf(pods))} selected by this budget and also by ${andList(others.map((pdb) => pdb.name))}. Kubernetes does not evict a pod that has more than one PodDisruptionBudget.`,
          suggestion: 'Change the selectors so that each pod has one budget.',
        };
      }
    },
  },
];

/** The valid PodDisruptionBudgets. */
function soundPdbs(policy: LintPolicy) {
  const sound = podFacts(policy).pdbs.filter(({ fault }) => !fault);
  return sound.map((pdb) => ({ pdb, object: pdbObject(pdb), path: 'spec.selector' }));
}

const podsByNamespace = memo((policy: LintPolicy) => Map.groupBy(podFacts(policy).pods, ({ pod }) => pod.namespace));

interface NoEviction {
  readonly field: string;
  readonly message: string;
  readonly suggestion?: string;
}

/** The value at a path of the object. */
type ValueAt = (...keys: string[]) => unknown;

function neverAllows(pdb: Pdb, written: ValueAt, facts: PodFacts): NoEviction | undefined {
  const [most, least] = [written('spec', 'maxUnavailable'), written('spec', 'minAvailable')];
  if (shareOf(most, 1) === 0)
    return { field: 'maxUnavailable', message: `It allows no pod to be unavailable (maxUnavailable: ${show(most)})` };
  const field = 'minAvailable';
  if (least === '100%') return { field, message: 'It requires all of its pods to be available (minAvailable: "100%")' };
  const pods = expectedPods(pdb, written, facts);
  const needed = shareOf(least, pods);
  if (needed === undefined || pods === 0 || needed < pods) return undefined;
  const message = `It requires ${count(needed, 'pod')} to be available (minAvailable: ${show(least)}) and there ${pods === 1 ? 'is' : 'are'} ${count(pods, 'pod')}`;
  return { field, message, suggestion: `Write maxUnavailable: 1 instead, or run at least ${needed + 1} pods.` };
}

/** The pod count of the status, or the pods in the input if there is none. 0 = unknown. */
function expectedPods(pdb: Pdb, written: ValueAt, { guarded }: PodFacts): number {
  // The controller allows a disruption now, so these numbers are incomplete.
  if (pdb.disruptionsAllowed > 0) return 0;
  const expected = written('status', 'expectedPods');
  return typeof expected === 'number' && expected > 0 ? expected : (guarded.get(pdb) ?? 0);
}

const percentage = /^(\d+)%$/;

/** The value as the disruption controller reads it: percentages round up. Undefined for anything but a number or a percentage. */
export function shareOf(value: unknown, pods: number): number | undefined {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' ? percentage.exec(value)?.[1] : undefined;
  return percent === undefined ? undefined : Math.ceil((Number(percent) * pods) / 100);
}

/** `3 pods (a, b and c) are`, `the pods of Deployment web are`. Pods of a template in the input are not listed besides. */
function namePodsOf(views: readonly WrittenPod[]): string {
  const templates = views.filter(({ within }) => within !== '');
  const made = new Set(templates.map(({ object }) => object));
  const alone = views.filter(({ within, maker }) => within === '' && !made.has(maker));
  const names = templates.map(({ pod }) => `${pod.owner?.kind} ${pod.name}`);
  const parts = [
    ...(names.length > 0 ? [`the pods of ${someOf(names)}`] : []),
    ...(alone.length > 0 ? [`${count(alone.length, 'pod')} (${someOf(alone.map(({ pod }) => pod.name))})`] : []),
  ];
  return `${andList(parts)} ${names.length === 0 && alone.length === 1 ? 'is' : 'are'}`;
}

/** An invalid budget counts for every pod it might select; its fault is reported instead. */
const isOverlapping = ({ pod, pdbs }: WrittenPod): boolean =>
  pdbs.length > 1 && isEvictable(pod) && pdbs.every(({ pdb }) => pdb.fault === undefined);
