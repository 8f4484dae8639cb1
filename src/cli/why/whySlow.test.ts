// Tests of `lull why` with a NodeClaim that is not ready in time.
import { describe, expect, it } from 'vitest';
import { claim, decide, longAgo, machine, pool, storeOf } from '../../../test/build.ts';
import { explainWhy } from '../../engine/why/why.ts';
import { utc } from '../formatTime.ts';
import { renderWhy } from './whyText.ts';

const message =
  'NodeClaim late-claim is not ready 2m after its creation: Registered is Unknown (NodeNotRegistered: Node not registered with cluster)';

describe('F7: lull why', () => {
  const conditions = {
    Registered: { status: 'Unknown', reason: 'NodeNotRegistered', message: 'Node not registered with cluster' },
    Initialized: { status: 'Unknown', reason: 'NotYet', message: 'Node is not ready' },
  };
  const slow = claim('late', { created: '2026-03-10T11:57:00Z', nodeName: null, conditions });
  const objects = [pool(), machine('n1', { drifted: longAgo }), slow];
  const why = (target: Parameters<typeof explainWhy>[2]) => {
    const told = { round: decide(objects, { settings: { role: 'guide' } }), role: 'guide' as const };
    const answer = explainWhy(told, storeOf(...objects), target);
    return answer
      ? renderWhy(answer, { width: 200, zone: utc }).map((line) => line.map(({ text }) => text).join(''))
      : [];
  };

  it('prints it first for the pool, with the conditions of the claim', () => {
    const lines = why({ kind: 'pool', name: 'web' });
    expect(lines[0]).toBe(`web is held until the NodeClaim is ready or gone: ${message}`);
    expect(lines.join('\n')).toMatch(/not ready in time\n {2}NodeClaim late-claim +no node, created 2026-03-10 11:57Z/);
    expect(lines.join('\n')).toMatch(/Initialized +Initialized is Unknown \(NotYet: Node is not ready\)/);
  });

  it('prints it for a node that it holds', () => {
    const lines = why({ kind: 'node', name: 'n1' });
    expect(lines[0]).toBe(`n1 is held until the cluster changes: ${message}`);
    expect(lines).toContain('NodeClaims not ready in time');
  });
});
