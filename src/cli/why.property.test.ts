import { describe, expect, it } from 'vitest';
import { extremes } from '../../test/hostile/extremeObjects.ts';
import { readable } from '../../test/hostile/hostileFiles.ts';
import { defaultSettings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import { decideRound } from '../engine/round.ts';
import { findTarget, nameOfTarget, type Target } from '../engine/why/target.ts';
import { explainWhy } from '../engine/why/why.ts';
import { whyAsJson, whyFromJson } from '../engine/why/whyJson.ts';
import { type Instant, parseInstant } from '../time/instant.ts';
import { Failure } from './failure.ts';
import { gatherInput, type Input } from './input.ts';
import { renderWhy } from './whyText.ts';

/** All files are read in one way, so that the small ones are enough. */
const small = 10_000;
/** What is huge is for the reader's own tests. */
const large = 200_000;
const texts = [
  ...readable
    .filter(({ content }) => content.length < small)
    .map(({ name, content }) => ({ name, text: String(content) })),
  ...extremes.map(({ name, objects }) => ({ name, text: objects.map((it) => JSON.stringify(it)).join('\n') })),
].filter(({ text }) => text.length < large);

/** More would only say the same. */
const mostTargets = 20;

function* targetsIn({ nodes, pools, pendingPods }: Cluster): Generator<Target> {
  for (const name of pools.keys()) yield { kind: 'pool', name };
  for (const { node } of nodes) yield { kind: 'node', name: node.name };
  for (const { namespace, name } of [...nodes.flatMap(({ pods }) => pods), ...pendingPods])
    yield { kind: 'pod', namespace, name };
}

function gathered(text: string): Input | undefined {
  try {
    return gatherInput([{ file: 'x', text }]);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

describe('K1: why, of whatever can be read', () => {
  it.each(texts)('$name', ({ text }) => {
    const input = gathered(text);
    if (!input) return;
    const round = decideRound(input, parseInstant('2026-11-17T10:20:00Z') as Instant, defaultSettings);
    for (const target of [...targetsIn(input.cluster)].slice(0, mostTargets)) {
      const why = explainWhy({ round, role: defaultSettings.role }, input.cluster, target);
      if (!why) throw new Error(`nothing about ${nameOfTarget(target)}`);
      expect(why.headline).not.toMatch(/undefined|NaN|\[object/);
      expect(renderWhy(why, 80).length).toBeGreaterThan(2);
      expect(whyFromJson(JSON.parse(JSON.stringify(whyAsJson(why))))).toBeDefined();
      // Names are whatever somebody wrote; some cannot be told from a kind and a name, but none makes it fall over.
      expect(findTarget(input.cluster, nameOfTarget(target))).toBeDefined();
    }
  });
});
