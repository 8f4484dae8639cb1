// The headline of the Cluster page: the current state in one to three sentences.
import type { NodeRow } from '../../src/engine/picture/nodeRow.ts';
import type { Picture } from '../../src/engine/picture/picture.ts';
import { clock, count, list } from '../parts/words.ts';
import { isMoving, nounOf, type PoolProgress, progressOf } from '../roll/progress.ts';

export function describeNow(picture: Picture, progress: readonly PoolProgress[] = progressOf(picture)): string[] {
  if (picture.nodes.length === 0) return ['This cluster has no nodes yet.'];
  const rolls = progress.filter((it) => it.turn && it.pool.sequential);
  const rolled = new Set(rolls.map(({ pool }) => pool.name));
  const others = picture.nodes.filter(({ pool }) => !rolled.has(pool ?? ''));
  const sentences = [...describeRolls(rolls), ...describeMoving(others), ...describeHeld(picture)];
  const lost = picture.nodes.filter(({ state }) => state === 'lost').length;
  if (lost > 0) sentences.push(`${count(lost, 'node')} ${lost === 1 ? 'is' : 'are'} not Ready.`);
  const broken = picture.faults.filter(({ severity }) => severity === 'error').length;
  if (broken > 0) sentences.push(`${count(broken, 'error')} in the policy ${broken === 1 ? 'holds' : 'hold'} nodes.`);
  return sentences.length > 0 ? sentences : ['All is quiet: no node has a reason to be disrupted.'];
}

/** Above this number, rolls are summarised; the Roll page lists them all. */
const mostRolls = 2;

function describeRolls(rolls: readonly PoolProgress[]): string[] {
  if (rolls.length <= mostRolls) return rolls.map(describeRoll);
  const [done, total] = [rolls.reduce((sum, it) => sum + it.done, 0), rolls.reduce((sum, it) => sum + it.total, 0)];
  const names = rolls.length <= 6 ? ` (${list(rolls.map(({ pool }) => pool.name))})` : '';
  const far = `${done.toLocaleString('en')} of ${total.toLocaleString('en')} nodes are up to date`;
  return [`Rolling ${rolls.length} pools domain by domain${names}: ${far}.`];
}

function describeRoll({ pool, turn, domains }: PoolProgress): string {
  const noun = nounOf(pool.topologyKey);
  const holder = domains.find(({ domain }) => domain === turn?.domain);
  const name = turn?.domain === undefined ? `the nodes without a ${noun}` : `${noun} ${turn.domain}`;
  const waiting = domains.filter(({ state }) => state === 'waiting').map(({ domain }) => domain ?? 'the rest');
  const finished = domains.filter(({ state }) => state === 'done').map(({ domain }) => domain ?? 'the rest');
  const far = holder ? ` (${holder.done} of ${holder.total} up to date)` : '';
  const settles = holder?.state === 'settling' ? ' and must stay healthy before the turn passes' : '';
  const waits = waiting.length > 0 ? `; ${list(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'}` : '';
  const done = finished.length > 0 ? `; ${list(finished)} ${finished.length === 1 ? 'is' : 'are'} done` : '';
  return `Rolling ${pool.name} ${noun} by ${noun}: ${name} has the turn${far}${settles}${done}${waits}.`;
}

function describeMoving(nodes: readonly NodeRow[]): string[] {
  const moving = nodes.filter(({ state }) => isMoving(state));
  if (moving.length === 0) return [];
  const byPool = Map.groupBy(moving, ({ pool }) => pool ?? 'no pool');
  const parts = [...byPool].map(([pool, its]) => `${its.length} of ${pool}`);
  if (parts.length > 4) return [`${count(moving.length, 'node')} of ${byPool.size} pools are being disrupted.`];
  return [`Being disrupted: ${list(parts)}.`];
}

function describeHeld({ nodes, at }: Picture): string[] {
  const held = nodes.filter(({ state }) => state === 'held');
  if (held.length === 0) return [];
  const first = held
    .map(({ until }) => until)
    .filter((it) => it !== undefined)
    .sort((a, b) => a - b)[0];
  const pools = [...new Set(held.map(({ pool }) => pool ?? 'no pool'))];
  const of = pools.length <= 3 ? ` of ${list(pools)}` : '';
  const until = first === undefined ? '' : `, the first until ${clock(first, at)}`;
  return [`${count(held.length, 'node')}${of} ${held.length === 1 ? 'is' : 'are'} held by a rule${until}.`];
}
