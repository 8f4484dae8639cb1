// Events of a simulation's story: their kinds, their fields, and their JSON.

import { formatInstant, type Instant, pad, second } from '../../time/instant.ts';
import type { KubeObject } from '../kubeObject.ts';

export const eventKinds = [
  'NodeChosen',
  'NodeTainted',
  'ReplacementLaunched',
  'ReplacementReady',
  'PodEvicted',
  'PodDeleted',
  'NodeTerminating',
  'NodeGone',
  'NodeReleased',
  'TurnTaken',
  'TurnPassed',
  'WaveBegun',
  'RollHalted',
  'WindowOpened',
  'WindowClosed',
  'Happening',
  'LoadChanged',
  'Fault',
  'NodeLaunched',
  'NodeReady',
  'NodeNotReady',
] as const;

export type EventKind = (typeof eventKinds)[number];

export interface StoryEvent {
  readonly at: Instant;
  readonly kind: EventKind;
  readonly node?: string;
  readonly pool?: string;
  readonly domain?: string;
  /** The topology label the domain is a value of, unless it is the zone. */
  readonly topologyKey?: string;
  readonly reason?: string;
  /** `namespace/name`. */
  readonly pod?: string;
  /** The NodeClaim that is launched, or that replaces the node. */
  readonly claim?: string;
  readonly command?: string;
  /** The Lull instance that crashes or restarts. */
  readonly controller?: string;
  /** `Kind/name` of the rule that opens or closes. */
  readonly window?: string;
  /** The workload that owns the pod or is scaled: `shop/web`. */
  readonly workload?: string;
  /** The replicas before and after a scaling. */
  readonly pods?: { readonly from: number; readonly to: number };
  /** Why the node is released. Like `isRestart` only for the narrative, not in the JSON. */
  readonly why?: string;
  /** The claim keeps a static pool at its size; absent: it is for pending pods. Only for the narrative. */
  readonly isStatic?: true;
  /** The controller restarts; absent: it crashes. */
  readonly isRestart?: true;
  readonly text: string;
}

/** An event that is not recorded yet: the story adds the time. */
export type NewStoryEvent = Omit<StoryEvent, 'at'>;

/** The fields in a fixed order (L6). Milliseconds are printed only if they are not zero. */
export const eventAsJson = ({ at, kind, text, ...rest }: StoryEvent): Record<string, unknown> => ({
  at: instantAsText(at),
  kind,
  node: rest.node,
  pool: rest.pool,
  domain: rest.domain,
  topologyKey: rest.topologyKey,
  reason: rest.reason,
  pod: rest.pod,
  workload: rest.workload,
  pods: rest.pods,
  claim: rest.claim,
  command: rest.command,
  controller: rest.controller,
  window: rest.window,
  text,
});

export function instantAsText(at: Instant): string {
  const rest = at - Math.floor(at / second) * second;
  return rest === 0 ? formatInstant(at) : formatInstant(at).replace('Z', `.${pad(rest, 3)}Z`);
}

/** `shop/web`; the pod's own name if nothing owns it. */
export function workloadOf({ metadata }: KubeObject): string {
  const { name, namespace = 'default', ownerReferences = [], labels = {} } = metadata;
  const owner = ownerReferences.find(({ controller }) => controller) ?? ownerReferences[0];
  if (!owner) return `${namespace}/${name}`;
  const hash = labels['pod-template-hash'];
  const suffix = hash === undefined ? '' : `-${hash}`;
  const isReplicaSet = owner.kind === 'ReplicaSet' && suffix !== '' && owner.name.endsWith(suffix);
  return `${namespace}/${isReplicaSet ? owner.name.slice(0, -suffix.length) : owner.name}`;
}
