// Replacement NodeClaims: the pool's template, narrowed to what was planned or to the node that is replaced (N6).
import type { Command, Launch, Replacement } from '../../cluster/ledger.ts';
import type { Pool, Template } from '../../cluster/model.ts';
import { annotation, label } from '../../cluster/names.ts';
import { add, type NodeView } from '../../cluster/nodeView.ts';
import type { Resources } from '../../cluster/quantity.ts';
import { currentName, incompatibleKeys, type Requirement, type TextMap } from '../../cluster/selector.ts';
import type { Offering, Settings } from '../../cluster/settings.ts';
import { formatDuration } from '../../time/duration.ts';
import type { Situation } from '../situation.ts';
import type { Action } from './action.ts';
import { disruptedNodesOf } from './step.ts';

interface ClaimSource {
  readonly pool: Pool;
  readonly situation: Situation;
}

/** The name derives from the command: the API server rejects a repeated create. */
export function createReplacement(
  command: Command,
  replacement: Replacement,
  { pool, situation }: ClaimSource,
): Action {
  const leaving = disruptedNodesOf(command, situation.cluster).flatMap(({ view }) => view ?? []);
  const { template } = pool;
  const requirements = madeDefinite(template, replacement, { leaving, settings: situation.settings });
  const object = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: replacement.name,
      labels: { ...template.labels, ...singleValues(requirements), [label.pool]: pool.name },
      annotations: { ...template.annotations, ...poolHashes(pool), [annotation.command]: command.id },
      ...(pool.uid !== undefined && { ownerReferences: [ownedBy(pool, pool.uid)] }),
    },
    spec: {
      ...(template.nodeClassRef && { nodeClassRef: template.nodeClassRef }),
      requirements: requirements.map(writeRequirement),
      ...(template.taints.length > 0 && { taints: template.taints }),
      ...(template.startupTaints.length > 0 && { startupTaints: template.startupTaints }),
      ...lifetimes(template),
      ...(template.kubelet !== undefined && { kubelet: template.kubelet }),
      resources: { requests: writeAmounts(requestsOf(leaving, replacement, situation.settings)) },
    },
  };
  return { verb: 'create', kind: 'NodeClaim', name: replacement.name, object, command: command.id };
}

const ownedBy = ({ name }: Pool, uid: string): unknown => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  name,
  uid,
  blockOwnerDeletion: true,
});

function poolHashes({ annotations }: Pool): TextMap {
  const keys = [annotation.poolHash, annotation.poolHashVersion];
  return Object.fromEntries(keys.flatMap((key) => (annotations[key] === undefined ? [] : [[key, annotations[key]]])));
}

/** The template's requirements, narrowed to the plan and to the old node's values where the template still allows them. */
function madeDefinite(
  { requirements }: Template,
  { instanceType, launch }: Replacement,
  { leaving, settings }: { leaving: readonly NodeView[]; settings: Settings },
): readonly Requirement[] {
  if (launch) return asPlanned(requirements, launch);
  const old = leaving[0]?.node.labels ?? {};
  const allows = (labels: TextMap): boolean =>
    Object.keys(labels).every((key) => incompatibleKeys(requirements.filter(isOn(key)), labels).length === 0);
  const where = instanceType === undefined ? undefined : bestOffering(instanceType, old, { settings, allows });
  const wanted: Record<string, string | undefined> = {
    [label.instanceType]: instanceType,
    [label.zone]: where?.zone ?? old[label.zone],
    [label.capacityType]: where?.capacityType ?? old[label.capacityType],
    [label.arch]: old[label.arch],
    [label.os]: old[label.os],
  };
  const pinned = Object.entries(wanted).flatMap(([key, value]) =>
    value !== undefined && allows({ [key]: value }) ? [{ key, operator: 'In' as const, values: [value] }] : [],
  );
  return [...requirements.filter(({ key }) => !pinned.some((it) => it.key === currentName(key))), ...pinned];
}

/** Planned values replace the template's requirement of the same key; its minValues stays. */
function asPlanned(requirements: readonly Requirement[], launch: Launch): readonly Requirement[] {
  const planned = [
    { key: label.instanceType, values: launch.instanceTypes },
    { key: label.zone, values: launch.zones },
    { key: label.capacityType, values: launch.capacityTypes },
  ].filter(({ values }) => values.length > 0);
  const others = requirements.filter(({ key }) => !planned.some((it) => it.key === currentName(key)));
  return [
    ...others,
    ...planned.map(({ key, values }): Requirement => {
      const minValues = requirements.find((it) => isOn(key)(it) && it.minValues !== undefined)?.minValues;
      return { key, operator: 'In', values, ...(minValues !== undefined && { minValues }) };
    }),
  ];
}

const isOn =
  (key: string) =>
  (requirement: Requirement): boolean =>
    currentName(requirement.key) === key;

/** An available offering of the planned type, closest to the old node's; undefined without a catalogue entry. */
function bestOffering(
  instanceType: string,
  old: TextMap,
  { settings, allows }: { settings: Settings; allows: (labels: TextMap) => boolean },
): Offering | undefined {
  const offered = settings.catalogue.find(({ name }) => name === instanceType)?.offerings ?? [];
  const far = ({ zone, capacityType }: Offering): number =>
    (zone === old[label.zone] ? 0 : 2) + (capacityType === old[label.capacityType] ? 0 : 1);
  return offered
    .filter(
      ({ available, zone, capacityType }) =>
        available && allows({ [label.zone]: zone }) && allows({ [label.capacityType]: capacityType }),
    )
    .sort((a, b) => far(a) - far(b) || a.price - b.price)[0];
}

const singleValues = (requirements: readonly Requirement[]): TextMap =>
  Object.fromEntries(
    requirements.flatMap(({ key, operator, values: [value, ...others] }) =>
      operator === 'In' && value !== undefined && others.length === 0 ? [[key, value]] : [],
    ),
  );

const writeRequirement = ({ key, operator, values, minValues }: Requirement): unknown => ({
  key,
  operator,
  ...(values.length > 0 && { values }),
  ...(minValues !== undefined && { minValues }),
});

const lifetimes = ({ expireAfter, terminationGracePeriod: grace }: Template): Readonly<Record<string, string>> => ({
  ...(expireAfter !== undefined && {
    expireAfter: expireAfter === 'Never' ? expireAfter : formatDuration(expireAfter),
  }),
  ...(grace !== undefined && { terminationGracePeriod: formatDuration(grace) }),
});

/**
 * The requests of the planned pods, else of all pods that move, plus those of daemon pods. Capped at what the planned type has: a claim
 * that requests more cannot be launched.
 */
function requestsOf(
  leaving: readonly NodeView[],
  { instanceType, launch }: Replacement,
  { catalogue }: Settings,
): Resources {
  const total: Record<string, number> = { ...launch?.requests };
  const moving = launch ? [] : leaving.flatMap(({ reschedulable }) => reschedulable);
  for (const { requests } of moving) add(total, requests);
  const [first] = leaving;
  if (first) add(total, first.daemons);
  const type = catalogue.find(({ name }) => name === instanceType);
  const most = type?.allocatable ?? first?.node.allocatable ?? {};
  const entries = Object.entries(total).filter(([, amount]) => amount > 0);
  return Object.fromEntries(entries.map(([name, amount]) => [name, Math.min(amount, most[name] ?? amount)]));
}

const writeAmounts = (amounts: Resources): TextMap =>
  Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => [name, name === 'cpu' ? `${amount}m` : String(amount)]),
  );
