// The state at the end of a story as users see it: images, running pods, and traces of Lull.
import type { KubeObject } from '../../src/sim/kubeObject.ts';
import type { Objects } from '../../src/sim/objects.ts';

const labelOf = ({ metadata }: KubeObject, key: string): string => metadata.labels?.[key] ?? '-';

const isReady = ({ status }: KubeObject): boolean =>
  ((status?.conditions ?? []) as readonly { readonly type: string; readonly status: string }[]).some(
    ({ type, status: is }) => type === 'Ready' && is === 'True',
  );

/** A Deployment's pods belong to a ReplicaSet, whose name ends in a hash; all others to the owner they are named after. */
function workloadOf(pod: KubeObject): string {
  const [owner] = pod.metadata.ownerReferences ?? [];
  const hash = pod.metadata.labels?.['pod-template-hash'];
  const name = hash === undefined ? owner?.name : owner?.name.slice(0, -hash.length - 1);
  return `${pod.metadata.namespace} ${name ?? pod.metadata.name}`;
}

function counted(things: Iterable<string>): string[] {
  const counts = new Map<string, number>();
  for (const thing of things) counts.set(thing, (counts.get(thing) ?? 0) + 1);
  return [...counts].map(([thing, count]) => `${count} × ${thing}`).sort();
}

/** What Lull writes in guide. */
const ours = ['lull.dev/parked', 'lull.dev/nodepool-hash-before'];

export function endState(objects: Objects): string[] {
  const nodes = [...objects.list('Node')];
  const pods = [...objects.list('Pod')].filter(
    ({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded',
  );
  const ledger = objects.get('DisruptionLedger', 'lull');
  const tainted = nodes.filter(({ spec }) =>
    ((spec?.taints ?? []) as readonly { readonly key: string }[]).some(({ key }) => key === 'lull.dev/disrupted'),
  );
  return [
    ...counted(
      nodes.map((node) => `node of ${labelOf(node, 'karpenter.sh/nodepool')} with image ${labelOf(node, 'image')}`),
    ),
    ...counted(pods.map((pod) => `pod of ${workloadOf(pod)}${isReady(pod) ? '' : ', not Ready'}`)),
    `${((ledger?.spec?.commands ?? []) as unknown[]).length} commands`,
    `${tainted.length} taints`,
    ...counted(
      ['Node', 'NodeClaim', 'Pod'].flatMap((kind) =>
        [...objects.list(kind)].flatMap(({ metadata }) =>
          ours.filter((key) => metadata.annotations?.[key] !== undefined).map((key) => `${kind} with ${key}`),
        ),
      ),
    ),
  ];
}
