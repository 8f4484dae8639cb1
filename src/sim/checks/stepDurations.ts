// Checks that no step of a command takes too long (G4, G7), and that nothing is left over at rest.

import { parseDuration } from '../../time/duration.ts';
import { asDuration, asInstant, type Duration, type Instant, minute } from '../../time/instant.ts';
import { isTrue } from '../actors/rawObjects.ts';
import { annotationsOf, type KubeObject, keyOf, textAt } from '../kubeObject.ts';
import { type LedgerRecord, type RawCommand, readLedger } from '../ledgerRecord.ts';
import { hashBefore, keepOff, marker } from './acts.ts';
import { closedBy, compiled, isOptedOut } from './compiledPolicies.ts';
import { type CheckFinding, finding, type InvariantContext, isForcedCommand, isGoverned } from './ledgerWrite.ts';
import { deadlineAnnotation, isActive, isDrained, taintedBy } from './raw.ts';

/** Allowance for passes, late watches, crashes and recovery, and instance termination. */
const slack: Duration = asDuration(15 * minute);

/**
 * Commands whose end does not depend on Lull: a forced drain waits as long as a PDB holds its pods (A2), and Karpenter's
 * termination of a node that another actor deleted may wait for a PDB forever.
 */
function isBeyondControl(command: RawCommand, around: InvariantContext): boolean {
  // Karpenter finishes what it has started, or not.
  if (command.step === 'taken') return true;
  // A forced node is offered again and again, whether Karpenter can disrupt it or not (N3).
  if (command.step === 'offered' || command.step === 'withdrawn') return isForcedCommand(command, around);
  if (command.step === 'draining') return isForcedCommand(command, around);
  if (command.step !== 'terminating') return false;
  return command.nodes.some(({ name }) =>
    [...around.objects.podsOn(name)].some((pod) => isActive(pod) && isDrained(pod)),
  );
}

interface TrackedStep {
  readonly command: RawCommand;
  readonly enteredAt: Instant;
  /** How long the step may last, apart from disturbances. */
  readonly bound: number;
}

export class StepDurations {
  readonly #around: InvariantContext;
  readonly #followed = new Map<string, TrackedStep>();
  readonly #disturbances: { readonly from: Instant; readonly to: Instant }[] = [];

  constructor(around: InvariantContext) {
    this.#around = around;
  }

  /** A period in which the controllers could not work. */
  disturbed(from: Instant, to: Instant): void {
    this.#disturbances.push({ from, to });
  }

  /** Called after each write of the ledger: measures finished steps. */
  follow({ commands }: LedgerRecord, at: Instant): CheckFinding[] {
    const findings = [...this.#followed.values()].flatMap((followed) => {
      const now = commands.get(followed.command.id);
      return now?.step === followed.command.step ? [] : this.#tooLong(followed, at);
    });
    for (const id of this.#followed.keys()) if (!commands.has(id)) this.#followed.delete(id);
    for (const command of commands.values()) {
      if (this.#followed.get(command.id)?.command.step === command.step) continue;
      this.#followed.set(command.id, { command, enteredAt: at, bound: this.#boundOf(command) });
    }
    return findings;
  }

  /** Steps that exceed their limit and have not ended. */
  unended(at: Instant): CheckFinding[] {
    return [...this.#followed.values()].flatMap((followed) => this.#tooLong(followed, at));
  }

  #tooLong({ command, enteredAt, bound }: TrackedStep, at: Instant): CheckFinding[] {
    const lost = this.#disturbances
      .filter(({ from, to }) => to > enteredAt && from < at)
      .reduce((sum, { from, to }) => sum + Math.min(to, at) - Math.max(from, enteredAt), 0);
    const lasted = at - enteredAt;
    if (lasted <= bound + slack + lost || isBeyondControl(command, this.#around)) return [];
    const limit = `${Math.round((bound + slack + lost) / minute)} min`;
    return [
      finding('G7', `${command.id} was ${command.step} for ${Math.round(lasted / minute)} min, more than ${limit}`),
    ];
  }

  #boundOf(command: RawCommand): number {
    const { consolidationPause, replacementTimeout, offerTimeoutUnderutilized } = this.#around.settings;
    if (command.step === 'offered') return offerTimeoutUnderutilized;
    if (command.step === 'chosen') return consolidationPause;
    if (command.step === 'replacing') return replacementTimeout;
    const grace = Math.max(0, ...command.nodes.map(({ claim }) => this.#graceOf(claim)));
    // Karpenter's termination waits for remaining pods as long as the claim allows.
    if (command.step === 'terminating')
      return isBeyondControl(command, this.#around) ? Number.POSITIVE_INFINITY : grace;
    return command.step === 'draining' ? Math.max(grace, this.#drainBound(command)) : 0;
  }

  /** The limit counts from the last progress, so each pod may take all of it (G7). */
  #drainBound({ nodes }: RawCommand): number {
    const pods = nodes.flatMap(({ name }) => [...this.#around.objects.podsOn(name)].filter(isDrained)).length;
    return (pods + 1) * this.#around.settings.drainTimeout;
  }

  #graceOf(claim: string | undefined): number {
    const object = claim === undefined ? undefined : this.#around.objects.get('NodeClaim', claim);
    return parseDuration(textAt(object?.spec, 'terminationGracePeriod') ?? '') ?? 0;
  }
}

const kept = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp === undefined;

export function residueFindings(around: InvariantContext, at: Instant): CheckFinding[] {
  const { objects, settings } = around;
  const { commands } = readLedger(objects.get('DisruptionLedger', 'lull'));
  const standing = [...commands.values()].filter((command) => isBeyondControl(command, around));
  const excused = new Set(standing.map(({ id }) => id));
  const underWay = new Set(standing.flatMap(({ nodes }) => nodes.map(({ claim }) => claim)));
  const claims = [...objects.list('NodeClaim')].filter(kept);
  const ofLull = claims.filter((claim) => annotationsOf(claim)['lull.dev/command'] !== undefined);
  const moving = new Set(standing.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  const stayingClaims = claims.filter(({ status }) => !moving.has(textAt(status, 'nodeName') ?? ''));
  return [
    ...[...commands.values()]
      .filter(({ id }) => !excused.has(id))
      .map(({ id, step }) => finding('G1', `${id} is still ${step}`)),
    ...[...objects.list('Node')].flatMap((node) => {
      const id = taintedBy(node);
      return id === undefined || excused.has(id)
        ? []
        : [finding('G4', `node ${node.metadata.name} still has the taint of ${id}`)];
    }),
    ...ofLull
      .filter((claim) => !isTrue(claim, 'Initialized') || !objects.get('Node', textAt(claim.status, 'nodeName') ?? ''))
      .map((claim) => finding('G4', `replacement ${keyOf(claim)} has no node`)),
    ...claims
      .filter((claim) => annotationsOf(claim)[deadlineAnnotation] !== undefined && !underWay.has(keyOf(claim)))
      .map((claim) => finding('H1', `claim ${keyOf(claim)} is not disrupted, but has a deadline`)),
    ...(settings.role === 'guide' ? leftUnparked(around, stayingClaims, at) : []),
  ];
}

/** In milliseconds: a window may just have opened. */
const late = 10_000;

/** At rest every node is parked, and no annotation of an offer is left (N3, N5, N6). */
function leftUnparked(
  { objects, settings }: InvariantContext,
  claims: readonly KubeObject[],
  at: Instant,
): CheckFinding[] {
  const stays = new Set(claims.map(({ status }) => textAt(status, 'nodeName')));
  const loose = [...objects.list('Node')].filter((node) => {
    const pool = objects.get('NodePool', node.metadata.labels?.['karpenter.sh/nodepool'] ?? '');
    const isOurs = pool && isGoverned(compiled('NodePool', pool), settings);
    return isOurs && stays.has(node.metadata.name) && annotationsOf(node)[keepOff] !== 'true';
  });
  const before = asInstant(at - late);
  const parked = [...objects.list('Pod')].filter((pod) => {
    if (annotationsOf(pod)[marker] === undefined || pod.metadata.deletionTimestamp !== undefined) return false;
    const isFree = [before, at].every(
      (moment) => closedBy(pod, moment, objects) === undefined && !isOptedOut(pod, 'Drifted', moment),
    );
    return isFree || stays.has(textAt(pod.spec, 'nodeName'));
  });
  return [
    ...loose.map(({ metadata }) => finding('N3', `node ${metadata.name} is not parked`)),
    ...parked.map((pod) => finding('N5', `pod ${keyOf(pod)} is still parked`)),
    ...claims
      .filter((claim) => annotationsOf(claim)[marker] !== undefined && isTrue(claim, 'Initialized'))
      .map((claim) => finding('N2', `claim ${keyOf(claim)} still has the annotations of the admission policy`)),
    ...claims
      .filter((claim) => annotationsOf(claim)[hashBefore] !== undefined)
      .map((claim) => finding('N6', `claim ${keyOf(claim)} still has a hash written by Lull`)),
  ];
}
