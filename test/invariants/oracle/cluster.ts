// The test's own view of nodes, claims, pools and pods, from the plain objects.
import type { Round } from '../../../src/engine/verdict.ts';
import type {
  Plain,
  PlainClaim,
  PlainCommand,
  PlainLedger,
  PlainNode,
  PlainObject,
  PlainPod,
  PlainPool,
} from '../plain.ts';
import { poolKey } from '../plain.ts';
import { conditionIsTrue } from './reading.ts';

/** A node with its claim, pool and pods. */
export interface Host {
  readonly name: string;
  readonly node: PlainNode;
  readonly claim?: PlainClaim;
  readonly poolName?: string;
  readonly pool?: PlainPool;
  readonly managed: boolean;
  readonly pods: readonly PlainPod[];
}

export interface Seen {
  readonly plain: Plain;
  readonly now: number;
  readonly hosts: ReadonlyMap<string, Host>;
  readonly pools: readonly PlainPool[];
  readonly commands: readonly PlainCommand[];
}

export const ofKind = <Kind extends PlainObject['kind']>(objects: readonly PlainObject[], ...kinds: Kind[]) =>
  objects.filter((object) => kinds.includes(object.kind as Kind)) as Extract<PlainObject, { kind: Kind }>[];

const ledgerOf = ({ objects }: Plain): PlainLedger['spec'] =>
  ofKind(objects, 'DisruptionLedger')[0]?.spec ?? { version: 1 };

export function see(plain: Plain): Seen {
  const { objects } = plain;
  const pools = ofKind(objects, 'NodePool', 'Provisioner');
  const claims = ofKind(objects, 'NodeClaim');
  const pods = ofKind(objects, 'Pod');
  const hosts = ofKind(objects, 'Node').map((node): Host => {
    const { name, labels = {} } = node.metadata;
    const { providerID } = node.spec;
    const claim =
      (providerID && claims.find(({ status }) => status.providerID === providerID)) ||
      claims.find(({ status }) => status.nodeName === name);
    const provisioner = labels['karpenter.sh/provisioner-name'];
    const poolName = labels[poolKey] ?? provisioner;
    const pool = pools.find(({ metadata }) => metadata.name === poolName);
    return {
      name,
      node,
      ...(claim && { claim }),
      ...(poolName !== undefined && { poolName }),
      ...(pool && { pool }),
      managed: claim !== undefined || (provisioner !== undefined && pool?.kind === 'Provisioner'),
      pods: pods.filter(({ spec }) => spec.nodeName === name),
    };
  });
  return {
    plain,
    now: Date.parse(plain.at),
    hosts: new Map(hosts.map((host) => [host.name, host])),
    pools,
    commands: ledgerOf(plain).commands ?? [],
  };
}

export const isReady = ({ node }: Host): boolean => conditionIsTrue(node.status.conditions, 'Ready');

const claimSays = ({ claim }: Host, type: string): boolean => conditionIsTrue(claim?.status.conditions, type);

const isRebooting = (host: Host): boolean => claimSays(host, 'Rebooting');

/** Whether budgets count the node: managed, and initialized or rebooting; also if its machine is terminating, unless it is ignored (C3). */
export const isCounted = (host: Host, { plain }: Pick<Seen, 'plain'>): boolean =>
  host.managed &&
  (host.node.metadata.labels?.['karpenter.sh/initialized'] === 'true' || isRebooting(host)) &&
  !(isEnding(host) && plain.settings.endingMachines === 'ignore');

/** Its machine is being terminated. */
export const isEnding = (host: Host): boolean => claimSays(host, 'InstanceTerminating');

/** Whether the node is being disrupted or deleted, by Lull, Karpenter or a user. */
export function isLeaving(host: Host, { commands }: Seen): boolean {
  if (commands.some(({ nodes }) => nodes.some(({ name }) => name === host.name))) return true;
  if (!host.managed) return false;
  const isDeleting = (host.node.metadata.deletionTimestamp ?? host.claim?.metadata.deletionTimestamp) !== undefined;
  return isDeleting || claimSays(host, 'DisruptionReason') || claimSays(host, 'InstanceTerminating');
}

/** Whether the node uses a unit of a budget at the start of the round (C4). */
export function isConsumed(host: Host, reason: string, seen: Seen): boolean {
  if (!isCounted(host, seen)) return false;
  return isLeaving(host, seen) || isRebooting(host) || (reason !== 'Unhealthy' && !isReady(host));
}

export const isActive = ({ metadata, status }: PlainPod): boolean =>
  metadata.deletionTimestamp === undefined && status.phase !== 'Succeeded' && status.phase !== 'Failed';

export const ownerKind = ({ metadata }: PlainPod): string | undefined => metadata.ownerReferences?.[0]?.kind;

/** Whether the pod would have to move: not of a DaemonSet or a mirror pod, and active or a terminating StatefulSet pod (E11). */
export const isReschedulable = (pod: PlainPod): boolean =>
  !['DaemonSet', 'Node'].includes(ownerKind(pod) ?? '') &&
  (isActive(pod) || (ownerKind(pod) === 'StatefulSet' && pod.metadata.deletionTimestamp !== undefined));

/** `settings.pools`, in the two forms the generator writes. */
export function isGoverned(pool: PlainPool, { settings }: Plain): boolean {
  const [, key = '', sign, value] = /^(\w+)(!?=)(\w+)$/.exec(settings.pools ?? '') ?? [];
  return sign === undefined || (pool.metadata.labels?.[key] === value) === (sign === '=');
}

export interface Start {
  readonly host: Host;
  readonly reason: string;
  readonly forced: boolean;
  /** Blocked pods do not count because the claim has a terminationGracePeriod (A2). */
  readonly podsWaived: boolean;
}

/** The nodes that this round starts, in order. */
export function startsOf(round: Round, seen: Seen): Start[] {
  const earlier = new Set(seen.commands.map(({ id }) => id));
  const begun = round.commands.filter(({ id }) => !earlier.has(id));
  return begun.flatMap(({ nodes, reason }) =>
    nodes.map(({ name }) => {
      const host = seen.hosts.get(name);
      if (!host) throw new Error(`a command disrupts ${name}, which does not exist`);
      return { host, reason, forced: isForced(reason, seen), podsWaived: isWaived(host, reason) };
    }),
  );
}

const isForced = (reason: string, { plain }: Seen): boolean =>
  reason === 'Interrupted' || (reason === 'Expired' && plain.settings.expiration === 'forceful');

const isWaived = ({ claim }: Host, reason: string): boolean =>
  ['Drifted', 'Expired', 'Unhealthy'].includes(reason) && claim?.spec.terminationGracePeriod !== undefined;
