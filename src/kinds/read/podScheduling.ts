// A pod's scheduling constraints: topology spread, affinity, host ports and volumes.

import { defined } from '../../cluster/defined.ts';
import type { HostPort, PodTerm, Preference, Scheduling, Spread } from '../../cluster/scheduling.ts';
import type { TextMap } from '../../cluster/selector.ts';
import { isMap, type Json, maxInt32, type Reader } from './reader.ts';
import {
  readLabelSelector,
  readNodePreferences,
  readSelectorOrNothing,
  readWeight,
  withLabelKeys,
} from './selectors.ts';

export interface ReadScheduling {
  /** Undefined if the pod has no constraints. */
  readonly scheduling: Scheduling | undefined;
  /** False if a required constraint is invalid: it is then unknown where the pod may run. */
  readonly isSound: boolean;
}

const unconstrained: ReadScheduling = { scheduling: undefined, isSound: true };

type PodConstraints = Pick<Scheduling, 'spread' | 'near' | 'apart' | 'likes'>;
const noConstraints: PodConstraints = { spread: [], near: [], apart: [], likes: [] };

export function readScheduling(spec: Reader, pod: PodIdentity & { readonly name: string }): ReadScheduling {
  const before = spec.findings.wrongs;
  const hostPorts = readHostPorts(spec);
  const volumeClaims = readVolumeClaims(spec, pod);
  const { rules, isSound } = readConstraints(spec, pod);
  // No node is known to fit a port or volume that is invalid.
  const isWhole = isSound && spec.findings.wrongs - before === rules.wrongs;
  const asks = hostPorts.length > 0 || volumeClaims.length > 0;
  if (!asks && rules.shared === undefined) return isWhole ? unconstrained : { scheduling: undefined, isSound: false };
  const shared = rules.shared ?? { ...noConstraints, hostPorts: [], volumeClaims: [] };
  return { scheduling: asks ? { ...shared, hostPorts, volumeClaims } : shared, isSound: isWhole };
}

interface SharedConstraints {
  /** Undefined if the pod has none. Pods with equal constraints share one object. */
  readonly shared: Scheduling | undefined;
  /** How many invalid values they had. */
  readonly wrongs: number;
}

/** Constraints by their JSON text, so that they are read once for all pods of a template. Cleared when full. */
const known = new Map<string, Scheduling>();
const mostKnown = 20_000;

function readConstraints(
  spec: Reader,
  pod: PodIdentity,
): { readonly rules: SharedConstraints; readonly isSound: boolean } {
  const affinity = spec.raw('affinity');
  const spread = spec.raw('topologySpreadConstraints');
  if (!asksOfPods(affinity) && isNothing(spread)) return { rules: { shared: undefined, wrongs: 0 }, isSound: true };
  const text = textOf([pod.namespace, affinity ?? {}, spread ?? []]);
  // With matchLabelKeys the constraints depend on the pod's label values as well.
  const key = text?.includes('atchLabelKeys') ? `${text}${JSON.stringify(pod.labels)}` : text;
  const recalled = key === undefined ? undefined : known.get(key);
  if (recalled) return { rules: { shared: recalled, wrongs: 0 }, isSound: true };
  return readUncached(spec, pod, key);
}

/** Undefined if equal texts may have different values: JSON writes NaN and infinities, such as 1e400 in YAML, as null. */
function textOf(value: unknown): string | undefined {
  const text = JSON.stringify(value);
  // Few texts contain null, and visiting each value takes several times as long.
  if (!text.includes('null')) return text;
  let isExact = true;
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'number' && !Number.isFinite(part)) isExact = false;
    return part;
  });
  return isExact ? text : undefined;
}

/** Remembers the constraints under the key, if there is one. */
function readUncached(
  spec: Reader,
  pod: PodIdentity,
  key: string | undefined,
): { readonly rules: SharedConstraints; readonly isSound: boolean } {
  const before = spec.findings.wrongs;
  const affinity = spec.map('affinity');
  // Read it here for its faults: an invalid nodeAffinity may have required nodes.
  const nodeAffinity = affinity.map('nodeAffinity');
  const required = {
    spread: readSpread(spec, pod.labels),
    near: readPodTerms(affinity.map('podAffinity'), pod),
    apart: readPodTerms(affinity.map('podAntiAffinity'), pod),
  };
  const isSound = spec.findings.wrongs === before;
  const likes = [...readNodePreferences(nodeAffinity), ...readPodPreferences(affinity, pod)];
  const wrongs = spec.findings.wrongs - before;
  const shared: Scheduling = { ...required, likes, hostPorts: [], volumeClaims: [] };
  if (wrongs === 0 && key !== undefined) {
    if (known.size >= mostKnown) known.clear();
    known.set(key, shared);
  }
  return { rules: { shared, wrongs }, isSound };
}

/** Whether an affinity has more than required nodes, which readNodeSelector reads. */
function asksOfPods(affinity: unknown): boolean {
  if (!isMap(affinity)) return !isNothing(affinity);
  const { podAffinity, podAntiAffinity, nodeAffinity } = affinity;
  if (!isNothing(podAffinity) || !isNothing(podAntiAffinity)) return true;
  return isMap(nodeAffinity) && !isNothing(nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution);
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isMap(value) && Object.keys(value).length === 0;
}

const policies = ['Honor', 'Ignore'] as const;

const readSpread = (spec: Reader, labels: TextMap): Spread[] =>
  spec.maps('topologySpreadConstraints').map((constraint) => readConstraint(constraint, labels));

function readConstraint(constraint: Reader, labels: TextMap): Spread {
  const selector = readSelectorOrNothing(constraint, 'labelSelector');
  const [minDomains, maxSkew] = [constraint.whole('minDomains', 1, maxInt32), constraint.whole('maxSkew', 1, maxInt32)];
  if (!constraint.has('maxSkew')) constraint.fault('maxSkew', 'maxSkew is missing. Use a whole number such as 1.');
  return defined<Spread>({
    topologyKey: readTopologyKey(constraint),
    maxSkew: maxSkew ?? 1,
    minDomains,
    // An invalid value may have been meant as a hard constraint.
    isHard: constraint.oneOf('whenUnsatisfiable', ['DoNotSchedule', 'ScheduleAnyway']) !== 'ScheduleAnyway',
    selector: withLabelKeys(selector, labels, constraint.texts('matchLabelKeys'), 'In'),
    honoursAffinity: constraint.oneOf('nodeAffinityPolicy', policies) !== 'Ignore',
    honoursTaints: constraint.oneOf('nodeTaintsPolicy', policies) === 'Honor',
  });
}

function readTopologyKey(holder: Reader): string {
  const key = holder.text('topologyKey');
  if (key) return key;
  holder.fault('topologyKey', 'topologyKey is missing. Use a node label such as topology.kubernetes.io/zone.');
  return '';
}

/** The namespace and labels of the pod itself: terms without namespaces use its own, and label keys use its labels. */
export interface PodIdentity {
  readonly namespace: string;
  readonly labels: TextMap;
}

const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

/** The required terms of podAffinity or podAntiAffinity. */
const readPodTerms = (affinity: Reader, pod: PodIdentity): PodTerm[] =>
  affinity.maps('requiredDuringSchedulingIgnoredDuringExecution').map((term) => readTerm(term, pod));

function readPodPreferences(affinity: Reader, pod: PodIdentity): Preference[] {
  const of = (key: string): { readonly weight: number; readonly term: PodTerm }[] =>
    affinity
      .map(key)
      .maps(preferred)
      .flatMap((each) => {
        const before = each.findings.wrongs;
        const read = { weight: readWeight(each), term: readTerm(each.map('podAffinityTerm'), pod) };
        // Ignore an invalid preference: it is not required, so dropping it holds nothing.
        return each.findings.wrongs === before ? [read] : [];
      });
  return [
    ...of('podAffinity').map(({ weight, term }) => ({ weight, near: term })),
    ...of('podAntiAffinity').map(({ weight, term }) => ({ weight, apart: term })),
  ];
}

function readTerm(term: Reader, { namespace, labels }: PodIdentity): PodTerm {
  const selector = readSelectorOrNothing(term, 'labelSelector');
  const matched = withLabelKeys(selector, labels, term.texts('matchLabelKeys'), 'In');
  const named = term.texts('namespaces');
  const bySelector = term.has('namespaceSelector');
  return {
    topologyKey: readTopologyKey(term),
    selector: withLabelKeys(matched, labels, term.texts('mismatchLabelKeys'), 'NotIn'),
    namespaces: named.length === 0 && !bySelector ? [namespace] : named,
    ...(bySelector && { namespaceSelector: readLabelSelector(term, 'namespaceSelector') }),
  };
}

const noPorts: readonly HostPort[] = [];
const highestPort = 65_535;

function readHostPorts(spec: Reader): readonly HostPort[] {
  const onHost = spec.boolean('hostNetwork') === true;
  if (!takesAny(spec, 'containers', onHost) && !takesAny(spec, 'initContainers', onHost)) return noPorts;
  const sidecars = spec.maps('initContainers').filter((container) => container.text('restartPolicy') === 'Always');
  const ports = [...spec.maps('containers'), ...sidecars].flatMap((container) =>
    container.maps('ports').map((port) => readPort(port, onHost)),
  );
  return ports.filter((port) => port !== undefined);
}

/** On the host network, the API server sets each hostPort to the containerPort. */
function readPort(port: Reader, onHost: boolean): HostPort | undefined {
  const number =
    port.whole('hostPort', 0, highestPort) || (onHost ? port.whole('containerPort', 0, highestPort) : undefined);
  const ip = port.text('hostIP') ?? '';
  const protocol = port.text('protocol') || 'TCP';
  return number ? { ip: ip === '0.0.0.0' ? '' : ip, protocol, port: number } : undefined;
}

/** Checks without a Reader, for speed: few pods have a host port. */
function takesAny(spec: Reader, key: string, onHost: boolean): boolean {
  const containers = spec.raw(key);
  if (!Array.isArray(containers)) return false;
  return containers.some((container) => {
    const ports: unknown = isMap(container) ? container.ports : undefined;
    // Let the Reader report a value that is not a list.
    if (!Array.isArray(ports)) return ports !== undefined && ports !== null;
    return ports.some((port) => onHost || !isMap(port) || (port.hostPort !== undefined && port.hostPort !== null));
  });
}

const noClaims: readonly string[] = [];

function readVolumeClaims(
  spec: Reader,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): readonly string[] {
  if (!mountsAny(spec)) return noClaims;
  const claims = spec.maps('volumes').flatMap((volume) => {
    if (volume.has('ephemeral')) {
      // The requirements of the claim are in the claim itself.
      volume.map('ephemeral');
      return [`${namespace}/${name}-${needText(volume, 'name')}`];
    }
    if (!volume.has('persistentVolumeClaim')) return [];
    return [`${namespace}/${needText(volume.map('persistentVolumeClaim'), 'claimName')}`];
  });
  return [...new Set(claims)];
}

/** Required: without it the claim is unknown. */
function needText(reader: Reader, key: string): string {
  const text = reader.text(key);
  if (text === undefined && !reader.has(key)) reader.fault(key, `${key} is missing. Set it.`);
  return text ?? '';
}

const broken: Json = { ephemeral: true };

/** Checks without a Reader, for speed: every pod has volumes, and few have a claim. */
function mountsAny(spec: Reader): boolean {
  const volumes = spec.raw('volumes');
  if (!Array.isArray(volumes)) return volumes !== undefined;
  return volumes.some((volume) => {
    const { persistentVolumeClaim, ephemeral } = isMap(volume) ? volume : broken;
    return (persistentVolumeClaim ?? ephemeral ?? undefined) !== undefined;
  });
}
