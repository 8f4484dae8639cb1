// Requests and approvals of users in a random story (Q). Drawn independently of everything else.
import type { Random } from '../../../src/sim/random.ts';
import { after, asDuration, asInstant, formatInstant, minute } from '../../../src/time/instant.ts';
import { type Json, some } from './dice.ts';
import type { DrawnPool } from './pools.ts';

/** For every scenario of the model. */
export const start = asInstant(Date.parse('2026-11-16T08:00:00Z'));

const inMinutes = (minutes: number): string => formatInstant(after(start, asDuration(minutes * minute)));

export const drawPeople = (random: Random, pools: readonly DrawnPool[]): Json[] => [
  ...(random.chance(0.25) ? rollAsked(random, pools) : []),
  ...(random.chance(0.2) ? approvals(random, pools) : []),
];

/** A user requests a roll of a pool or a node, now or soon, and sometimes cancels it (Q1). */
function rollAsked(random: Random, pools: readonly DrawnPool[]): Json[] {
  const at = some(random, 5, 150);
  const target = anyTarget(random, random.pick(pools));
  const when = random.chance(0.2) ? at + some(random, 5, 30) : at;
  const write = (value: string | null, minutes: number): Json =>
    annotate(target, minutes, { 'lull.dev/roll-requested': value });
  return [
    write(`${inMinutes(when)} by ann: new kernel`, at),
    ...(random.chance(0.3) ? [write(null, at + some(random, 1, 20))] : []),
  ];
}

/** A pool requires approval for a while; users approve some of its nodes, or all of them (Q2). */
function approvals(random: Random, pools: readonly DrawnPool[]): Json[] {
  const pool = random.pick(pools);
  const [from, to] = [some(random, 0, 60), some(random, 100, 150)];
  const own: Target = { kind: 'NodePool', name: pool.name };
  const approved = Array.from({ length: some(random, 0, 4) }, () => {
    const at = some(random, from, to);
    const until = inMinutes(at + random.pick([1, 5, 30]));
    return annotate(anyTarget(random, pool), at, { 'lull.dev/approved': `${until} by bob` });
  });
  return [
    annotate(own, from, { 'lull.dev/approval': 'required' }),
    ...approved,
    annotate(own, to, { 'lull.dev/approval': null }),
  ];
}

interface Target {
  readonly kind: string;
  readonly name: string;
}

const anyTarget = (random: Random, { name, count }: DrawnPool): Target =>
  random.chance(0.6) ? { kind: 'NodePool', name } : { kind: 'Node', name: `${name}-${some(random, 1, count)}` };

const annotate = (target: Target, minutes: number, annotations: Json): Json => ({
  at: `${minutes}m`,
  annotate: { ...target, annotations },
});
