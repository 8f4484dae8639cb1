// What does a pod ask of the nodes and pods around it (F6)? Read as kube-scheduler reads it, with the defaults of the API server.
// Most of 200,000 pods ask nothing, and get nothing; those of one template share what they ask.
import type { Scheduling } from '../cluster/scheduling.ts';
import { readHostPorts } from './hostPorts.ts';
import { readNodePreferences } from './nodePreferences.ts';
import { type Asker, readPodPreferences, readPodTerms } from './podTerms.ts';
import { isMap, type Json, type Reader } from './reader.ts';
import { readSpread } from './spread.ts';
import { readVolumeClaims } from './volumeClaims.ts';

export interface ReadScheduling {
  /** Absent = it asks nothing. */
  readonly scheduling: Scheduling | undefined;
  /** False = something that it requires cannot be read: nobody can say where it may run. */
  readonly isSound: boolean;
}

const nothing: ReadScheduling = { scheduling: undefined, isSound: true };

type Rules = Pick<Scheduling, 'spread' | 'near' | 'apart' | 'likes'>;
const noRules: Rules = { spread: [], near: [], apart: [], likes: [] };

export function readScheduling(spec: Reader, pod: Asker & { readonly name: string }): ReadScheduling {
  const before = spec.findings.wrongs;
  const hostPorts = readHostPorts(spec);
  const volumeClaims = readVolumeClaims(spec, pod);
  const { rules, isSound } = readRules(spec, pod);
  // A port or a volume that cannot be read is one that nobody can find room for.
  const isWhole = isSound && spec.findings.wrongs - before === rules.wrongs;
  const asks = hostPorts.length > 0 || volumeClaims.length > 0;
  if (!asks && rules.shared === undefined) return isWhole ? nothing : { scheduling: undefined, isSound: false };
  const shared = rules.shared ?? { ...noRules, hostPorts: [], volumeClaims: [] };
  return { scheduling: asks ? { ...shared, hostPorts, volumeClaims } : shared, isSound: isWhole };
}

interface Shared {
  /** Absent = no rules. */
  readonly shared: Scheduling | undefined;
  /** How much was wrong with them. */
  readonly wrongs: number;
}

/** What equal texts mean, so that it is read once a template. What is forgotten is read again: the answers are the same. */
const known = new Map<string, Scheduling>();
const mostKnown = 20_000;

function readRules(spec: Reader, pod: Asker): { readonly rules: Shared; readonly isSound: boolean } {
  const affinity = spec.raw('affinity');
  const spread = spec.raw('topologySpreadConstraints');
  if (!asksOfPods(affinity) && isNothing(spread)) return { rules: { shared: undefined, wrongs: 0 }, isSound: true };
  const text = textOf([pod.namespace, affinity ?? {}, spread ?? []]);
  // Keys of labels stand in the rules, and their values with the pod.
  const key = text?.includes('atchLabelKeys') ? `${text}${JSON.stringify(pod.labels)}` : text;
  const recalled = key === undefined ? undefined : known.get(key);
  if (recalled) return { rules: { shared: recalled, wrongs: 0 }, isSound: true };
  return readAfresh(spec, pod, key);
}

/** Undefined = equal texts may mean different things: JSON writes numbers that are none, such as 1e400 in YAML, as null. */
function textOf(value: unknown): string | undefined {
  const text = JSON.stringify(value);
  // Hardly any has one, and looking at each value takes several times as long.
  if (!text.includes('null')) return text;
  let isExact = true;
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'number' && !Number.isFinite(part)) isExact = false;
    return part;
  });
  return isExact ? text : undefined;
}

/** Without a key it is not remembered. */
function readAfresh(
  spec: Reader,
  pod: Asker,
  key: string | undefined,
): { readonly rules: Shared; readonly isSound: boolean } {
  const before = spec.findings.wrongs;
  const affinity = spec.map('affinity');
  // What stands in the place of the map may have required nodes, too.
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

/** Whether an affinity says more than which nodes are required: that is read elsewhere. */
function asksOfPods(affinity: unknown): boolean {
  if (!isMap(affinity)) return !isNothing(affinity);
  const { podAffinity, podAntiAffinity, nodeAffinity } = affinity as Json;
  if (!isNothing(podAffinity) || !isNothing(podAntiAffinity)) return true;
  return isMap(nodeAffinity) && !isNothing(nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution);
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isMap(value) && Object.keys(value).length === 0;
}
