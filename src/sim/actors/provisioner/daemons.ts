// How much of a new node do its daemons take? Those that would come to every node of a pool, and those that are still to come to one.

import { label } from '../../../cluster/names.ts';
import type { Resources } from '../../../cluster/quantity.ts';
import type { Texts } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { type Claim, isDaemonPod, isTerminal, type Pod, type Pool, type Taint, type Workload } from '../manifest.ts';
import { add, needsOf, requestsOf } from '../scheduler/needs.ts';
import { admitsDaemon } from '../workloads/daemon.ts';

export function daemonsOn({ metadata, spec }: Pool, world: World): Resources {
  const { metadata: own, spec: asked } = spec?.template ?? {};
  const single = (asked?.requirements ?? []).flatMap(({ key, operator, values }): [string, string][] =>
    operator === 'In' && values?.length === 1 ? [[key, values[0] ?? '']] : [],
  );
  const labels = { ...Object.fromEntries(single), ...own?.labels, [label.pool]: metadata.name };
  return daemonsAt(labels, asked?.taints ?? [], world);
}

/** What is on the node of a claim, and the daemons that are not there yet. */
export function requestsOn(claim: Claim, world: World): Resources {
  const total: Record<string, number> = {};
  const { nodeName } = claim.status ?? {};
  const pods = nodeName === undefined ? [] : ([...world.objects.podsOn(nodeName)] as Pod[]);
  for (const pod of pods) if (!isDaemonPod(pod) && !isTerminal(pod)) add(total, needsOf(pod).requests);
  add(total, daemonsAt(claim.metadata.labels ?? {}, claim.spec?.taints ?? [], world));
  return total;
}

function daemonsAt(labels: Texts, taints: readonly Taint[], { objects }: World): Resources {
  const total: Record<string, number> = {};
  const node = { metadata: { name: '', labels }, spec: { taints } };
  for (const set of objects.list('DaemonSet') as Iterable<Workload>) {
    const template = set.spec?.template ?? {};
    if (admitsDaemon(node, template, 'start')) add(total, requestsOf(template.spec ?? {}));
  }
  return total;
}
