// How does a claim become a node? Launched, registered, ready, free of startup taints, initialized: Karpenter's steps, and its patience.
import { label } from '../../../cluster/names.ts';
import type { KubeObject } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import type { Condition } from '../condition.ts';
import { type Claim, type Node, poolOf, type Taint } from '../manifest.ts';
import { withConditions } from '../status.ts';
import type { Row, Span } from '../table.ts';
import { dropTaints, isTaint, taintKey, taintsOf } from '../taints.ts';
import { change, create, remove } from '../write.ts';
import { chooseOffering, launched, nodeOf, ready, yes } from './nodeObject.ts';

const stays: Condition = { lacks: 'metadata.deletionTimestamp' };
const unlaunched: Condition = { condition: 'Launched', isNot: 'True' };
const launchesOf = (claim: KubeObject, { conditions }: World) => conditions.of('launches', poolOf(claim) ?? '');

/** Karpenter gives a claim up that the cloud does not answer, and one whose machine never joins. */
const launchPatience = 300;
const registrationPatience = 900;

export const claimRows: readonly Row[] = [
  {
    name: 'the cloud launches a machine',
    by: 'cloud',
    kind: 'NodeClaim',
    when: [
      stays,
      unlaunched,
      { so: 'launches come', holds: (claim, world) => typeof (launchesOf(claim, world) ?? 1) === 'number' },
    ],
    after: (claim, world) => slowed([1, 3], launchesOf(claim, world)),
    becomes: (claim, world) => [change('NodeClaim', claim.metadata.name, (object) => launch(object, world))],
  },
  {
    name: 'the cloud says no',
    by: 'cloud',
    kind: 'NodeClaim',
    when: [stays, unlaunched, { so: 'launches fail', holds: (claim, world) => launchesOf(claim, world) === 'fails' }],
    after: [1, 3],
    becomes: (claim, { clock }) => [
      change('NodeClaim', claim.metadata.name, (object) =>
        withConditions(object, clock.now, [notLaunched('LaunchFailed', 'the cloud has none to give')]),
      ),
    ],
  },
  {
    name: 'a claim that is not launched is given up',
    by: 'karpenter',
    kind: 'NodeClaim',
    when: [stays, unlaunched],
    after: [launchPatience, launchPatience],
    becomes: giveUp,
  },
  {
    name: 'a machine joins the cluster',
    by: 'kubelet',
    kind: 'NodeClaim',
    when: [stays, { condition: 'Launched', is: 'True' }, { condition: 'Registered', isNot: 'True' }],
    after: (claim, world) => slowed([20, 40], world.conditions.of('boots', poolOf(claim) ?? '')),
    becomes: register,
  },
  {
    name: 'a machine that never joins is given up',
    by: 'karpenter',
    kind: 'NodeClaim',
    when: [stays, { condition: 'Launched', is: 'True' }, { condition: 'Registered', isNot: 'True' }],
    after: [registrationPatience, registrationPatience],
    becomes: giveUp,
  },
];

export const nodeRows: readonly Row[] = [
  {
    name: 'a node gets ready',
    by: 'kubelet',
    kind: 'Node',
    when: [
      { condition: 'Ready', isNot: 'True' },
      { so: 'its kubelet works', holds: canBeReady },
    ],
    after: (node, world) => slowed([5, 10], world.conditions.of('boots', poolOf(node) ?? '')),
    becomes: ({ metadata }, { clock }) => [
      change('Node', metadata.name, (node) =>
        withConditions(dropTaints(node as Node, isLifecycle), clock.now, [ready]),
      ),
    ],
  },
  {
    name: 'startup taints are taken off',
    by: 'startup',
    kind: 'Node',
    when: [
      { condition: 'Ready', is: 'True' },
      { so: 'it has startup taints', holds: hasStartupTaints },
    ],
    after: [1, 3],
    becomes: (node, world) => [
      change('Node', node.metadata.name, (object) => dropTaints(object as Node, isStartup(claimOfNode(node, world)))),
    ],
  },
  {
    name: 'a node is initialized',
    by: 'karpenter',
    kind: 'Node',
    when: [
      { condition: 'Ready', is: 'True' },
      { so: 'it is not yet initialized', holds: ({ metadata }) => metadata.labels?.[label.initialized] === undefined },
      {
        so: 'nothing keeps pods off while it starts',
        holds: (node, world) => !hasStartupTaints(node, world) && !taintsOf(node as Node).some(isLifecycle),
      },
      { so: 'it has a claim', holds: (node, world) => claimOfNode(node, world) !== undefined },
    ],
    after: [0.5, 1.5],
    becomes: initialize,
  },
];

function launch(claim: Claim, world: World): Claim {
  const offering = chooseOffering(claim, world);
  if (offering) return launched(claim, offering, world.clock.now);
  return withConditions(claim, world.clock.now, [
    notLaunched('NoCompatibleInstanceTypes', 'no machine the cloud has is what the claim asks for'),
  ]);
}

const notLaunched = (reason: string, message: string) => ({ type: 'Launched', status: 'False', reason, message });

function register(claim: Claim, world: World) {
  const { now } = world.clock;
  const name = world.nodeNames.next(poolOf(claim) ?? claim.metadata.name);
  return [
    create(nodeOf(claim, name, now)),
    change('NodeClaim', claim.metadata.name, (object) =>
      withConditions(object, now, [yes('Registered')], { nodeName: name }),
    ),
  ];
}

function initialize(node: KubeObject, world: World) {
  const claim = claimOfNode(node, world);
  return [
    change('Node', node.metadata.name, (object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { ...object.metadata.labels, [label.initialized]: 'true' } },
    })),
    change('NodeClaim', claim?.metadata.name ?? '', (object) =>
      withConditions(object, world.clock.now, [yes('Initialized'), yes('Ready')]),
    ),
  ];
}

function giveUp({ metadata }: KubeObject) {
  return [remove('NodeClaim', metadata.name)];
}

/** Both kinds of taint that say a node is not ready, or not heard of. */
export const isLifecycle = ({ key }: Taint): boolean => key === taintKey.notReady || key === taintKey.unreachable;

export const claimOfNode = ({ metadata }: KubeObject, { claimsByNode }: World): Claim | undefined =>
  claimsByNode.of(metadata.name).values().next().value;

const isStartup =
  (claim: Claim | undefined) =>
  (taint: Taint): boolean =>
    claim?.spec?.startupTaints?.some((own) => isTaint(own, taint)) ?? false;

function hasStartupTaints(node: KubeObject, world: World): boolean {
  const taints = taintsOf(node as Node);
  return taints.length > 0 && taints.some(isStartup(claimOfNode(node, world)));
}

export function kubeletLives({ metadata: { name } }: KubeObject, { conditions }: World): boolean {
  return conditions.of('kubelets', name) !== 'dead' && conditions.of('instances', name) !== 'lost';
}

function canBeReady(node: KubeObject, world: World): boolean {
  return kubeletLives(node, world) && world.conditions.of('images', node.metadata.labels?.image ?? '') !== 'nodes';
}

function slowed([from, to]: Span, by: unknown): Span {
  const factor = typeof by === 'number' ? by : 1;
  return [from * factor, to * factor];
}
