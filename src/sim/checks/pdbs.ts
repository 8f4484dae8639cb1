// Do the PodDisruptionBudgets permit what was started, one node and all nodes together (E10)?
import { matches } from '../../cluster/selector.ts';
import type { KubeObject } from '../kubeObject.ts';
import { isOptedOut } from './podRules.ts';
import { compiled } from './policy.ts';
import { conditionOf, isActive, isDrained, labelsOf } from './raw.ts';
import type { Sight } from './sight.ts';
import { type Finding, finding } from './violation.ts';
import { isForced, isWaived, nodesIn, startsOf, type Taken, type Written } from './written.ts';

const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? 'default';
const nameOf = (pdb: KubeObject): string => `${namespaceOf(pdb)}/${pdb.metadata.name}`;

export const pdbsOver = (pod: KubeObject, pdbs: Iterable<KubeObject>): KubeObject[] =>
  [...pdbs].filter(
    (pdb) =>
      namespaceOf(pdb) === namespaceOf(pod) && matches(compiled('PodDisruptionBudget', pdb).selector, labelsOf(pod)),
  );

export function beyondPdbs(written: Written): Finding[] {
  const { before, sight, settings } = written;
  const starts = startsOf(written);
  if (starts.length === 0) return [];
  /** By PDB: pods that are still to be evicted from nodes that leave. */
  const waiting = new Map<string, number>();
  const leave = (node: string): void => {
    for (const [pdb, pods] of guardedOn(node, sight))
      waiting.set(nameOf(pdb), (waiting.get(nameOf(pdb)) ?? 0) + pods.length);
  };
  const gone = nodesIn(before);
  for (const { name, isLeaving } of sight.hosts()) if (isLeaving || gone.has(name)) leave(name);
  return starts.flatMap((start) => {
    const isFree = isForced(start.reason, settings) || start.reason === 'Unhealthy' || isWaived(start);
    const wrong = isFree ? [] : [...overlaps(start, sight), ...overspent(start, waiting, sight)];
    leave(start.host.name);
    return wrong;
  });
}

function overlaps({ host, reason, at }: Taken, sight: Sight): Finding[] {
  const pods = sight.podsOn(host.name).filter((pod) => isActive(pod) && isDrained(pod) && !isOptedOut(pod, reason, at));
  return pods
    .filter((pod) => pdbsOver(pod, sight.list('PodDisruptionBudget')).length > 1)
    .map(({ metadata }) => finding('E10', `${host.name} is started with pod ${metadata.name}, which two PDBs mean`));
}

function overspent({ host, reason, at }: Taken, waiting: ReadonlyMap<string, number>, sight: Sight): Finding[] {
  return [...guardedOn(host.name, sight)].flatMap(([pdb, all]) => {
    const pods = all.filter((pod) => !isOptedOut(pod, reason, at)).length;
    const allowed = allowedBy(pdb);
    const others = waiting.get(nameOf(pdb)) ?? 0;
    if (pods === 0 || (allowed >= 1 && (others === 0 || others + pods <= allowed))) return [];
    const message = `${host.name} is started with ${pods} pods of ${nameOf(pdb)} beside ${others}, where it allows ${allowed}`;
    return [finding('E10', message)];
  });
}

function allowedBy(pdb: KubeObject): number {
  const allowed = pdb.status?.disruptionsAllowed;
  return typeof allowed === 'number' && !compiled('PodDisruptionBudget', pdb).fault ? Math.max(allowed, 0) : 0;
}

/** Pods of a node that would have to be evicted, by the one PDB that means them. */
function guardedOn(node: string, sight: Sight): Map<KubeObject, KubeObject[]> {
  const guarded = new Map<KubeObject, KubeObject[]>();
  for (const pod of sight.podsOn(node)) {
    if (!isActive(pod) || !isDrained(pod)) continue;
    const [pdb, ...others] = pdbsOver(pod, sight.list('PodDisruptionBudget'));
    if (!pdb || others.length > 0 || isFree(pod, pdb)) continue;
    guarded.set(pdb, [...(guarded.get(pdb) ?? []), pod]);
  }
  return guarded;
}

const isFree = (pod: KubeObject, pdb: KubeObject): boolean =>
  pdb.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' &&
  conditionOf(pod, 'Ready')?.status === 'False' &&
  !compiled('PodDisruptionBudget', pdb).fault;
