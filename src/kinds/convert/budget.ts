// How is a budget of the older documents written today (C2)?
import { show } from '../findings.ts';
import { parseNodeCount } from '../nodeCount.ts';
import { joinPath } from '../path.ts';
import { isMap, type Json } from '../reader.ts';
import { reasonNamed } from '../reasonName.ts';
import { type Draft, isGiven } from './draft.ts';

export function respellBudgets(draft: Draft, list: unknown, path: string): void {
  if (!Array.isArray(list)) return;
  list.forEach((budget, i) => {
    if (isMap(budget)) respellBudget(draft, budget, joinPath(path, i));
  });
}

export function respellBudget(draft: Draft, budget: Json, path: string): void {
  respellNodes(draft, budget, path);
  respellReasons(draft, budget, path);
  respellSchedule(draft, budget, path);
}

/** The key whose value counts, renamed if it is the older one. */
function keyOf(draft: Draft, budget: Json, path: string, [old, now]: readonly [old: string, now: string]): string {
  if (!Object.hasOwn(budget, old)) return now;
  const at = joinPath(path, old);
  if (!isGiven(budget[old]) || isGiven(budget[now])) {
    draft.remove(at);
    const why = isGiven(budget[old])
      ? `the older name of ${now}, which is given too and wins`
      : `the older name of ${now}, and empty`;
    draft.say(at, `removed: ${old} is ${why}`);
    return now;
  }
  if (Object.hasOwn(budget, now)) draft.remove(joinPath(path, now));
  draft.rename(at, now);
  draft.say(at, `${old} is now called ${now}`);
  return old;
}

function respellNodes(draft: Draft, budget: Json, path: string): void {
  const key = keyOf(draft, budget, path, ['maxUnavailable', 'nodes']);
  const value = budget[key];
  if (typeof value !== 'number' || parseNodeCount(value) === undefined) return;
  draft.set(joinPath(path, key), String(value));
  draft.say(joinPath(path, key), `the number ${value} is now the text "${value}"`);
}

function respellReasons(draft: Draft, budget: Json, path: string): void {
  const key = keyOf(draft, budget, path, ['reason', 'reasons']);
  const value = budget[key];
  const at = joinPath(path, key);
  if (typeof value === 'string') {
    const list = [reasonNamed(value) ?? value];
    draft.set(at, list);
    draft.say(at, `${value} is now the list [${list.join()}]`);
  } else if (Array.isArray(value)) respellList(draft, value, at);
}

function respellList(draft: Draft, names: readonly unknown[], path: string): void {
  const seen = new Set<unknown>();
  names.forEach((name, i) => {
    const reason = typeof name === 'string' ? reasonNamed(name) : undefined;
    const at = joinPath(path, i);
    if (reason === undefined) return;
    if (seen.has(reason) && reason !== name) {
      draft.remove(at);
      draft.say(at, `removed: ${show(name)} is ${reason}, which is in the list already`);
    } else if (reason !== name) {
      draft.set(at, reason);
      draft.say(at, `${name} is now written ${reason}`);
    }
    seen.add(reason);
  });
}

/** As the by-reason document writes "always". */
const everyMinute = /^\s*\*(\s+\*){4}\s*$/;

const isEveryMinute = (value: unknown): boolean => typeof value === 'string' && everyMinute.test(value);

function respellSchedule(draft: Draft, budget: Json, path: string): void {
  const [old, now] = ['crontab', 'schedule'];
  const key = isGiven(budget[now]) ? now : old;
  if (isGiven(budget.duration) || !isGiven(budget[key]) || !isEveryMinute(budget[key])) {
    keyOf(draft, budget, path, [old, now]);
    return;
  }
  for (const each of [old, now, 'timeZone']) if (Object.hasOwn(budget, each)) draft.remove(joinPath(path, each));
  draft.say(
    joinPath(path, key),
    `removed: ${show(budget[key])} without a duration means always, which needs no schedule`,
  );
}
