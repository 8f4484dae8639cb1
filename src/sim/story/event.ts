// What is told of a run? Events of a closed list of kinds (L6), each with a sentence.
import { formatInstant, type Instant, pad, second } from '../../time/instant.ts';

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
  /** The label that the domain is a value of, where that is not the zone. */
  readonly topologyKey?: string;
  readonly reason?: string;
  /** `namespace/name`. */
  readonly pod?: string;
  /** The claim that replaces, or is launched. */
  readonly claim?: string;
  readonly command?: string;
  /** The Lull that dies, or is back. */
  readonly controller?: string;
  /** `Kind/name` of what opens or closes. */
  readonly window?: string;
  /** What owns the pod, or is scaled, as people call it: `shop/web`. */
  readonly workload?: string;
  /** What it is scaled from, and to. */
  readonly pods?: { readonly from: number; readonly to: number };
  readonly text: string;
}

/** L6: fields in one order, absent where absent. Milliseconds only where seconds do not say it all. */
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
