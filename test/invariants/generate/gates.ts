// Random HealthGates in every state: healthy, failing, recovering, too old, never checked, switched by hand, invalid.
import type { PlainGate } from '../plain.ts';
import { nodeExpression } from './rules.ts';
import { odd, stamp, type World } from './world.ts';

const actions = ['Drift', 'Consolidation', 'Expiration', 'Repair', 'Rebalance'];

export function healthGate(world: World, name: string): PlainGate {
  const { dice } = world;
  const isManual = dice.chance(0.4);
  const spec: PlainGate['spec'] = {
    check: isManual ? { manual: { healthy: dice.chance(0.6) } } : { http: { url: 'http://web.shop' } },
    // Long enough for a recovery to end before the status is too old: time alone then opens the gate.
    interval: '1h',
    recoverAfter: dice.pick(['0s', '5m', '90m', '2h']),
    ...(dice.chance(0.3) && { failAfter: dice.pick(['1m', '45m']) }),
    ...(dice.chance(0.3) && { onUnknown: dice.pick(['Hold', 'Ignore', 'Ignore']) }),
    ...(dice.chance(0.5) && { actions: dice.some(actions, dice.whole(1, 3)) }),
    ...(dice.chance(0.6) && { selector: { matchExpressions: [nodeExpression(world)] } }),
  };
  const bad = odd(world, 0.08) ? dice.pick<Partial<PlainGate['spec']>>([{ check: {} }, { interval: '1s' }]) : {};
  const status = dice.chance(0.85) ? { status: gateStatus(world) } : {};
  return {
    apiVersion: 'lull.dev/v1alpha1',
    kind: 'HealthGate',
    metadata: { name },
    spec: { ...spec, ...bad },
    ...status,
  };
}

function gateStatus({ dice, now }: World): NonNullable<PlainGate['status']> {
  const age = dice.pick([0, 20, 600, 600, 4 * 3600]) * 1000;
  const checkedAt = Math.floor(now / 1000) * 1000 - age;
  const since = checkedAt - dice.pick([0, 30, 240, 3000, 90_000]) * 1000;
  return {
    state: dice.pick(['Healthy', 'Healthy', 'Healthy', 'Unhealthy', 'Unknown']),
    since: stamp(since),
    checkedAt: stamp(checkedAt),
    message: 'as told',
    ...(dice.chance(0.5) && { closedSince: stamp(since - 60_000) }),
  };
}
