// From NodeClaim to node: launched, registered, ready, without startup taints, initialized; with Karpenter's timeouts.
import { label } from '../../../cluster/names.ts';
import type { KubeObject } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { type ActorRow, change, create, type DelayRange, type RowCondition, remove } from '../actor.ts';
import {
  dropTaints,
  isTaint,
  poolOf,
  type RawClaim,
  type RawTaint,
  taintKey,
  taintsOf,
  withConditions,
} from '../rawObjects.ts';
import { chooseOffering, launched, nodeOf, ready, yes } from './machineObjects.ts';

const stays: RowCondition = { lacks: 'metadata.deletionTimestamp' };
const unlaunched: RowCondition = { condition: 'Launched', isNot: 'True' };
const launchesOf = (claim: KubeObject, { faults }: World) => faults.of('launches', poolOf(claim) ?? '');

/** Karpenter's timeouts for the launch and for the registration, in seconds. */
const launchTimeout = 300;
const registrationTimeout = 900;

export const claimRows: readonly ActorRow[] = [
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
        withConditions(object, clock.now, [notLaunched('LaunchFailed', 'insufficient capacity')]),
      ),
    ],
  },
  {
    name: 'a claim that is not launched is given up',
    by: 'karpenter',
    kind: 'NodeClaim',
    when: [stays, unlaunched],
    after: [launchTimeout, launchTimeout],
    becomes: giveUp,
  },
  {
    name: 'a machine joins the cluster',
    by: 'kubelet',
    kind: 'NodeClaim',
    when: [stays, { condition: 'Launched', is: 'True' }, { condition: 'Registered', isNot: 'True' }],
    after: (claim, world) => slowed([20, 40], world.faults.of('boots', poolOf(claim) ?? '')),
    becomes: register,
  },
  {
    name: 'a machine that never joins is given up',
    by: 'karpenter',
    kind: 'NodeClaim',
    when: [stays, { condition: 'Launched', is: 'True' }, { condition: 'Registered', isNot: 'True' }],
    after: [registrationTimeout, registrationTimeout],
    becomes: giveUp,
  },
];

export const nodeRows: readonly ActorRow[] = [
  {
    name: 'a node gets ready',
    by: 'kubelet',
    kind: 'Node',
    when: [
      { condition: 'Ready', isNot: 'True' },
      { so: 'its kubelet works', holds: canBeReady },
    ],
    after: (node, world) => slowed([5, 10], world.faults.of('boots', poolOf(node) ?? '')),
    becomes: ({ metadata }, { clock }) => [
      change('Node', metadata.name, (node) => withConditions(dropTaints(node, isLifecycle), clock.now, [ready])),
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
      change('Node', node.metadata.name, (object) => dropTaints(object, isStartup(claimOfNode(node, world)))),
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
        holds: (node, world) => !hasStartupTaints(node, world) && !taintsOf(node).some(isLifecycle),
      },
      { so: 'it has a claim', holds: (node, world) => claimOfNode(node, world) !== undefined },
    ],
    after: [0.5, 1.5],
    becomes: initialize,
  },
];

function launch(claim: RawClaim, world: World): RawClaim {
  const offering = chooseOffering(claim, world);
  if (offering) return launched(claim, offering, world.clock.now);
  return withConditions(claim, world.clock.now, [
    notLaunched('NoCompatibleInstanceTypes', 'no instance type satisfies the requirements of the claim'),
  ]);
}

const notLaunched = (reason: string, message: string) => ({ type: 'Launched', status: 'False', reason, message });

function register(claim: RawClaim, world: World) {
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

/** The not-ready and unreachable taints. */
export const isLifecycle = ({ key }: RawTaint): boolean => key === taintKey.notReady || key === taintKey.unreachable;

export const claimOfNode = ({ metadata }: KubeObject, { claimsByNode }: World): RawClaim | undefined =>
  claimsByNode.of(metadata.name).values().next().value;

const isStartup =
  (claim: RawClaim | undefined) =>
  (taint: RawTaint): boolean =>
    claim?.spec?.startupTaints?.some((own) => isTaint(own, taint)) ?? false;

function hasStartupTaints(node: KubeObject, world: World): boolean {
  const taints = taintsOf(node);
  return taints.length > 0 && taints.some(isStartup(claimOfNode(node, world)));
}

export function isKubeletAlive({ metadata: { name } }: KubeObject, { faults }: World): boolean {
  return faults.of('kubelets', name) !== 'dead' && faults.of('instances', name) !== 'lost';
}

function canBeReady(node: KubeObject, world: World): boolean {
  return isKubeletAlive(node, world) && world.faults.of('images', node.metadata.labels?.image ?? '') !== 'nodes';
}

function slowed([from, to]: DelayRange, by: unknown): DelayRange {
  const factor = typeof by === 'number' ? by : 1;
  return [from * factor, to * factor];
}
