// Lull restarts in another role with commands of the old one under way: nothing exceeds a budget, and all commands finish.
import { describe, expect, it } from 'vitest';
import type { Settings } from '../../src/cluster/settings.ts';
import { InlineSearcher } from '../../src/engine/search.ts';
import { openController } from '../../src/runtime/controller.ts';
import type { KubeObject } from '../../src/sim/kubeObject.ts';
import type { Objects } from '../../src/sim/objects.ts';
import { simulate } from '../../src/sim/simulate.ts';
import { crashPoints, play } from './crash.ts';
import { endState } from './endState.ts';
import { playableScenarios } from './scenarios.ts';
import { runToTheEnd } from './toTheEnd.ts';

type Role = Settings['role'];

const story = playableScenarios().find(({ name }) => name === 'guide-zone-by-zone');
if (!story) throw new Error('No scenario guide-zone-by-zone');
const calm = play(story);

const isGoing = (claim: KubeObject, node: KubeObject | undefined): boolean => {
  const conditions = (claim.status?.conditions ?? []) as readonly { readonly type: string; readonly status: string }[];
  const taints = (node?.spec?.taints ?? []) as readonly { readonly key: string }[];
  return (
    claim.metadata.deletionTimestamp !== undefined ||
    conditions.some(({ type, status }) => type === 'DisruptionReason' && status === 'True') ||
    taints.some(({ key }) => key === 'lull.dev/disrupted')
  );
};

/** The zones of old nodes that Lull or Karpenter is disrupting; turns do not apply to other nodes (C11). */
function goingIn(objects: Objects): string[] {
  return [...objects.list('NodeClaim')].flatMap((claim) => {
    const node = objects.get('Node', String(claim.status?.nodeName ?? ''));
    const zone = node?.metadata.labels?.['topology.kubernetes.io/zone'] ?? '?';
    const isOld = node?.metadata.labels?.image === 'v1';
    return isOld && isGoing(claim, node) ? [zone] : [];
  });
}

function playRoles(roles: readonly Role[], requests: readonly number[]) {
  let lives = 0;
  const simulation = simulate(story as NonNullable<typeof story>, {
    reconciler: (port) => {
      const role = roles[Math.min(lives++, roles.length - 1)] as Role;
      return openController(port, { ...(story as NonNullable<typeof story>).settings, role }, {}, new InlineSearcher());
    },
    crashes: { 'lull-1': requests.map((request) => ({ request, when: 'after' })) },
  });
  const { objects } = simulation.world;
  let most = 0;
  let zones = 0;
  objects.onChange(() => {
    const going = goingIn(objects);
    most = Math.max(most, going.length);
    zones = Math.max(zones, new Set(going).size);
  });
  const endless = runToTheEnd(simulation);
  return { endless, most, zones, lives, end: endState(objects) };
}

/** In drive nodes may stay parked: it keeps Karpenter away from them. */
const withoutParked = (end: readonly string[]): string[] => end.filter((line) => !line.endsWith('lull.dev/parked'));

/** The request after which all nodes are parked; in drive Karpenter may disrupt a node that is not parked at any time. */
const allParked = 11;
const points = crashPoints(calm.requests, 16).flatMap(({ request }) => (request > allParked ? [request] : []));
/** The budget allows one at a time, but a node whose instance is terminating no longer counts (C3), so the next may have started. */
const mostAtOnce = 2;

describe.each([
  { roles: ['guide', 'drive'] as const, crashes: points.map((point) => [point]) },
  { roles: ['guide', 'drive', 'guide'] as const, crashes: points.slice(0, -2).map((point) => [point, point + 6]) },
])('G2, N1: $roles', ({ roles, crashes }) => {
  it.each(crashes)('after request %i', (...requests) => {
    const { endless, most, zones, lives, end } = playRoles(roles, requests);
    expect(endless).toEqual([]);
    expect(lives).toBe(requests.length + 1);
    expect(most).toBeLessThanOrEqual(mostAtOnce);
    expect(zones).toBe(1);
    expect(withoutParked(end)).toEqual(withoutParked(calm.end));
  });
});
