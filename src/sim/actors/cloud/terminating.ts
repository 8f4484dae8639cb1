// How does a node go? Once its claim (or the node itself) is deleted: drained, its machine given back, both objects gone. Karpenter's steps.
import { taint } from '../../../cluster/names.ts';
import { parseDuration } from '../../../time/duration.ts';
import { after, formatInstant, type Instant, parseInstant, second } from '../../../time/instant.ts';
import { isDeleting, type KubeObject } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import type { Condition } from '../condition.ts';
import { type Controller, nothing, type Settled } from '../controller.ts';
import { type Claim, type Node, nodeNameOf } from '../manifest.ts';
import { isTrue, withConditions } from '../status.ts';
import type { Row } from '../table.ts';
import { addTaints } from '../taints.ts';
import { change, remove, type Write } from '../write.ts';
import { terminationFinalizer } from './claimObject.ts';
import { drainWrites, waitedFor } from './drain.ts';
import { machineIsGone } from './failing.ts';
import { claimOfNode } from './launching.ts';
import { yes } from './nodeObject.ts';

const deadlineKey = 'karpenter.sh/nodeclaim-termination-timestamp';
const goes: Condition = { has: 'metadata.deletionTimestamp' };

/** Even an empty node is drained for so long, in seconds. */
const shortestDrain = 5;
/** How often a drain is looked at, in seconds: often at first, less so when it takes long. */
const [soonest, latest] = [1, 10];

const nodeOfClaim = (claim: KubeObject, { objects }: World): KubeObject | undefined =>
  objects.get('Node', (claim as Claim).status?.nodeName ?? '');

export const terminationRows: readonly Row[] = [
  {
    name: 'a claim takes its node along',
    by: 'karpenter',
    kind: 'NodeClaim',
    when: [
      goes,
      { so: 'its node stays', holds: (claim, world) => isDeleting(nodeOfClaim(claim, world) ?? claim) === false },
    ],
    after: [0.1, 0.5],
    becomes: (claim, world) => [...setDeadline(claim), remove('Node', nodeOfClaim(claim, world)?.metadata.name ?? '')],
  },
  {
    name: 'a node takes its claim along',
    by: 'karpenter',
    kind: 'Node',
    when: [
      goes,
      { so: 'its claim stays', holds: (node, world) => isDeleting(claimOfNode(node, world) ?? node) === false },
    ],
    after: [0.1, 0.5],
    becomes: (node, world) => {
      const claim = claimOfNode(node, world);
      return claim ? [remove('NodeClaim', claim.metadata.name)] : [];
    },
  },
  {
    name: 'a drained machine is given back',
    by: 'cloud',
    kind: 'NodeClaim',
    when: [goes, { condition: 'InstanceTerminating', is: 'True' }],
    after: [5, 15],
    becomes: (claim, world) => [...letGo('Node', nodeOfClaim(claim, world)), ...letGo('NodeClaim', claim)],
  },
  {
    name: 'a claim without a node goes',
    by: 'cloud',
    kind: 'NodeClaim',
    when: [
      goes,
      { condition: 'InstanceTerminating', isNot: 'True' },
      { so: 'it has no node', holds: (claim, world) => nodeOfClaim(claim, world) === undefined },
    ],
    also: {
      Node: ({ type, object }, { claimsByNode }) =>
        type === 'DELETED' ? claimsByNode.of(object.metadata.name).values() : [],
    },
    after: (claim) => (nodeNameOf(claim) === undefined ? [5, 15] : [0.1, 0.5]),
    becomes: (claim) => letGo('NodeClaim', claim),
  },
];

/** H1: from the moment a claim with a grace period is deleted, its deadline stands on it. */
function setDeadline({ metadata, spec }: Claim): Write[] {
  const grace = parseDuration(spec?.terminationGracePeriod ?? '');
  const since = parseInstant(metadata.deletionTimestamp ?? '');
  if (grace === undefined || since === undefined || metadata.annotations?.[deadlineKey] !== undefined) return [];
  const deadline = formatInstant(after(since, grace));
  return [
    change('NodeClaim', metadata.name, (claim) => ({
      ...claim,
      metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, [deadlineKey]: deadline } },
    })),
  ];
}

const letGo = (kind: string, object: KubeObject | undefined): Write[] =>
  object
    ? [
        change(kind, object.metadata.name, (it) => ({
          ...it,
          metadata: {
            ...it.metadata,
            finalizers: it.metadata.finalizers?.filter((name) => name !== terminationFinalizer) ?? [],
          },
        })),
      ]
    : [];

/** By node: evicts what is left on a node that is being deleted. */
export function terminator(world: World): Controller {
  const leaving = new Set<string>();
  return {
    name: 'karpenter-terminator',
    wakes: {
      Node: ({ type, object }) => {
        const { name } = object.metadata;
        const isLeaving = type !== 'DELETED' && isDeleting(object);
        if (isLeaving) leaving.add(name);
        else leaving.delete(name);
        return isLeaving ? [name] : [];
      },
      Pod: ({ object }) => {
        const name = nodeNameOf(object);
        return name !== undefined && leaving.has(name) ? [name] : [];
      },
    },
    after: [0.1, 0.5],
    settle: (name) => {
      const node = world.objects.get('Node', name) as Node | undefined;
      return node && isDeleting(node) ? drain(node, world) : nothing;
    },
  };
}

function drain(node: Node, world: World): Settled {
  const { now } = world.clock;
  const claim = claimOfNode(node, world);
  if (!claim) return { writes: letGo('Node', node) };
  if (isTrue(claim, 'InstanceTerminating')) return nothing;
  if (machineIsGone(claim, world)) return { writes: [...letGo('Node', node), ...letGo('NodeClaim', claim)] };
  const since = parseInstant(node.metadata.deletionTimestamp ?? '') ?? now;
  const waited = (now - since) / second;
  const again = Math.min(latest, Math.max(soonest, Math.floor(waited / 10)));
  const waiting = waitedFor(world.objects.podsOn(node.metadata.name), now);
  if (waiting.length > 0) {
    const writes = [mark(node), ...drainWrites(waiting, now, deadlineOf(claim))];
    return { writes, again };
  }
  if (waited < shortestDrain) return { writes: [mark(node)], again: soonest };
  const changes = [yes('Drained'), yes('InstanceTerminating')];
  return { writes: [change('NodeClaim', claim.metadata.name, (it) => withConditions(it, now, changes))] };
}

/** Nothing new is put on a node that goes. */
const mark = ({ metadata }: Node): Write =>
  change('Node', metadata.name, (node) =>
    addTaints(node as Node, [{ key: taint.karpenterDisrupted, effect: 'NoSchedule' }]),
  );

const deadlineOf = ({ metadata }: Claim): Instant | undefined =>
  parseInstant(metadata.annotations?.[deadlineKey] ?? '');
