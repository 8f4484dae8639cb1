// B8: nothing new is started shortly before what permits it closes: a window, a scheduled budget, a pod's schedule.
import type { Pool } from '../../cluster/model.ts';
import type { PodView } from '../../cluster/nodeView.ts';
import type { Reason } from '../../cluster/reason.ts';
import { not } from '../../time/combine.ts';
import { formatDuration } from '../../time/duration.ts';
import { after, asDuration, before, formatInstant, type Instant } from '../../time/instant.ts';
import type { Window } from '../../time/window.ts';
import { isZero } from '../limits/budgets.ts';
import { activeHours, type WindowRules, windowRules } from '../limits/poolHours.ts';
import { none, type Refusal, type RuleOwner, refuse } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { Gate } from './gate.ts';
import { blockedPodsAreWaived } from './podRules.ts';
import { note, windowOwner } from './windows.ts';

export const closesTooSoon: Gate = (wish, situation) => {
  if (situation.settings.windowMargin === 0) return none;
  const refusals: Refusal[] = [];
  for (const permit of permits(wish, situation)) {
    const refusal = tooSoon(permit, situation);
    if (refusal) refusals.push(refusal);
  }
  return refusals;
};

/** A rule that permits the wish while its hours are open. */
interface Permit {
  readonly what: string;
  readonly owner: RuleOwner;
  readonly hours: Window;
}

function* permits(wish: Wish, situation: Situation): Generator<Permit> {
  const { view, pool, reason } = wish;
  yield* windowPermits(windowRules(view.windows, reason), situation);
  if (pool) yield* budgetPermits(pool, reason);
  if (reason === 'Unhealthy' || blockedPodsAreWaived(wish)) return;
  for (const timed of view.timed) yield* podPermits(timed);
}

/** The least that time moves. */
const instantly = asDuration(1);

function* windowPermits({ blocks, allows, permitted }: WindowRules, { now }: Situation): Generator<Permit> {
  for (const window of blocks) {
    yield {
      what: `the time before ${window.name}${note(window)}`,
      owner: windowOwner(window),
      hours: not(activeHours(window)),
    };
  }
  // Named after the one that ends it: the one that is open last, or one whose life begins.
  const closes = permitted.nextChange(now);
  if (closes === undefined) return;
  const last =
    allows.find((window) => activeHours(window).isOpen(before(closes, instantly))) ??
    allows.find(({ life }) => life.isOpen(closes));
  if (last) yield { what: `${last.name}${note(last)}`, owner: windowOwner(last), hours: permitted };
}

function* budgetPermits(pool: Pool, reason: Reason): Generator<Permit> {
  for (const { index, window, nodes, reasons, topologyKey } of pool.budgets) {
    const binds = (topologyKey === undefined || reason === 'Drifted') && (reasons === undefined || reasons.has(reason));
    if (!window || !isZero(nodes) || !binds) continue;
    const owner = { kind: 'NodePool', name: pool.name, index };
    yield { what: `the time before budget ${index} of ${pool.name}`, owner, hours: not(window) };
  }
}

function* podPermits({ pod, schedules, unworked }: PodView): Generator<Permit> {
  if (unworked) return;
  const { namespace, name } = pod;
  const own = { what: `the schedule of pod ${namespace}/${name}`, owner: { kind: 'Pod', namespace, name } };
  if (pod.rules?.allow) yield { ...own, hours: pod.rules.allow };
  if (pod.rules?.block) yield { ...own, hours: not(pod.rules.block) };
  for (const { name: schedule, mode, window } of schedules) {
    const owner = { kind: 'PodDisruptionSchedule', name: schedule };
    yield { what: `${schedule} of pod ${namespace}/${name}`, owner, hours: mode === 'Allow' ? window : not(window) };
  }
}

function tooSoon({ what, owner, hours }: Permit, { now, settings }: Situation): Refusal | undefined {
  if (!hours.isOpen(now)) return undefined;
  const closes: Instant | undefined = hours.nextChange(now);
  if (closes === undefined || closes > after(now, settings.windowMargin)) return undefined;
  const opens = hours.nextChange(closes);
  const again = opens === undefined ? '' : `, and opens again at ${formatInstant(opens)}`;
  const margin = formatDuration(settings.windowMargin);
  return refuse('ClosesTooSoon', `${what} closes at ${formatInstant(closes)}, within the margin of ${margin}${again}`, {
    owner,
  });
}
