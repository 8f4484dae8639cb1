// What does Karpenter say of a node that it does not take? Events on the node, in the words of 1.15, each no more often than every two minutes.
import { after, asDuration, formatInstant, type Instant, minute } from '../../../time/instant.ts';
import type { KubeObject } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import type { Node, Pod } from '../manifest.ts';

/** Whatever it says: the same reason on the same node is told once in so long. */
const dedupe = asDuration(2 * minute);

export const blockers = {
  annotation: 'Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation',
  pod: ({ metadata }: Pod): string =>
    `Pod has "karpenter.sh/do-not-disrupt" annotation (Pod=${metadata.namespace}/${metadata.name})`,
  pdb: ({ metadata }: KubeObject): string =>
    `Pdb prevents pod evictions (PodDisruptionBudget=[${metadata.namespace}/${metadata.name}])`,
  pdbs: (all: readonly KubeObject[]): string =>
    `Eviction does not support multiple PDBs (PodDisruptionBudget(s)=[${all.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(' ')}])`,
  placement: (pods: readonly Pod[]): string =>
    `Not all pods would schedule, ${pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(', ')}`,
} as const;

export type Say = (node: Node, message: string) => void;

/** What it says of parked nodes is counted, so that it hides what comes after, but not written down: there are many, and nobody reads it. */
export function openEvents(world: World): Say {
  const said = new Map<string, Instant>();
  return (node, message) => {
    const { now } = world.clock;
    const { uid = '' } = node.metadata;
    const last = said.get(uid);
    if (last !== undefined && now < after(last, dedupe)) return;
    said.set(uid, now);
    if (message !== blockers.annotation) write(world, node, message);
  };
}

/** One object a node: the server forgets them after an hour anyway. */
function write({ objects, clock }: World, { metadata }: Node, message: string): void {
  const lastTimestamp = formatInstant(clock.now);
  const name = `${metadata.name}.blocked`;
  const known = objects.get('Event', `default/${name}`);
  if (known) {
    objects.write('Event', `default/${name}`, 'karpenter', (event) => ({ ...event, message, lastTimestamp }));
    return;
  }
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: 'default', name },
    involvedObject: { apiVersion: 'v1', kind: 'Node', name: metadata.name, uid: metadata.uid },
    reason: 'DisruptionBlocked',
    type: 'Normal',
    source: { component: 'karpenter' },
    message,
    firstTimestamp: lastTimestamp,
    lastTimestamp,
  };
  objects.create(event as KubeObject, 'karpenter');
}
