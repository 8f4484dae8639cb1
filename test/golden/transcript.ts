// Renders a round for a golden file: one line for each statement, which headers can repeat literally.
import type { Refusal, RefusalCode } from '../../src/engine/refusal.ts';
import type { Allowance, DomainReport, PodReport, Round, Verdict, WindowReport } from '../../src/engine/verdict.ts';
import { formatInstant, type Instant } from '../../src/time/instant.ts';

export function transcribe(round: Round): string[] {
  const { verdicts, allowances, domains, windows, pods, faults, wakeAt } = round;
  const told = verdicts.filter(isTold);
  const goes = told.some(({ outcome }) => outcome === 'go');
  return [
    ...(goes ? [] : ['nothing goes']),
    ...told.map((verdict) => tellVerdict(verdict, round)),
    ...allowances.map(tellAllowance),
    ...domains.map(tellDomain),
    ...windows.map(tellWindow),
    ...pods.map(tellPod),
    ...new Set(faults.map(({ severity, object, path }) => `${severity} ${object} ${path}`)),
    wakeAt === undefined ? 'sleeps until something changes' : `wakes at ${formatInstant(wakeAt)}`,
  ];
}

/** Leaves out well-used nodes (A6). */
const wellUsed: readonly RefusalCode[] = ['NoPlacement', 'NotCheaper', 'NoPriceKnown'];

const isTold = ({ reason, refusals }: Verdict): boolean =>
  reason !== 'Underutilized' || !refusals.some(({ code }) => wellUsed.includes(code));

function tellVerdict({ node, reason, outcome, refusals, podsAgreeAt }: Verdict, { commands }: Round): string {
  if (outcome === 'underway') return `underway ${node} ${reason}`;
  if (outcome === 'go') {
    const command = commands.find((it) => it.reason === reason && it.nodes.some(({ name }) => name === node));
    const count = command?.replacements.length ?? 0;
    return `goes ${node} ${reason}${count > 0 ? ` for ${count} new` : ''}`;
  }
  const agree = podsAgreeAt === undefined ? '' : `, pods agree at ${formatInstant(podsAgreeAt)}`;
  return `held ${node} ${reason}: ${tellRefusals(refusals)}${agree}`;
}

const tellRefusals = (refusals: readonly Refusal[]): string =>
  refusals.map(({ code, liftsAt }) => `${code}${until(liftsAt)}`).join(' and ');

const until = (at: Instant | undefined): string => (at === undefined ? '' : ` until ${formatInstant(at)}`);

function tellAllowance({ pool, reason, limit, consumed, left, budget, nextChange }: Allowance): string {
  const most = limit === undefined ? 'any number' : `${limit} by budget ${budget ?? 'none'}`;
  const more = left === undefined ? '' : `, ${left} more`;
  return `${pool} allows ${reason}: ${most}, ${consumed} in use${more}${until(nextChange)}`;
}

const tellDomain = ({ pool, domain, state, counted, limit, consumed, left }: DomainReport): string =>
  `${pool} domain ${domain ?? '(none)'}: ${state}, ${limit} of ${counted}, ${consumed} in use, ${left} more`;

const tellWindow = ({ kind, name, open, nextChange, selected, holding }: WindowReport): string =>
  `${kind} ${name}: ${open ? 'open' : 'closed'}${until(nextChange)}, selects ${selected}, holds ${holding}`;

const tellPod = ({ namespace, name, movable, movableAt, refusals }: PodReport): string =>
  movable
    ? `pod ${namespace}/${name} may move`
    : `pod ${namespace}/${name} stays${until(movableAt)}: ${tellRefusals(refusals)}`;
