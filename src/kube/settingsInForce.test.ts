import { describe, expect, it } from 'vitest';
import { defaultSettings, type Settings } from '../cluster/settings.ts';
import { asDuration, minute } from '../time/instant.ts';
import type { Call, Client, Reply } from './client.ts';
import { settingsInForce, settingsOnLease } from './settingsInForce.ts';

const lease = (annotations: Readonly<Record<string, string>>, holderIdentity = 'pod-1'): Reply => ({
  kind: 'answer',
  code: 200,
  body: { metadata: { annotations }, spec: { holderIdentity } },
});

const ask = (reply: Reply) => {
  const client = {
    request: async ({ path }: Call) => {
      expect(path).toBe('/apis/coordination.k8s.io/v1/namespaces/ops/leases/lull');
      return reply;
    },
  } as unknown as Client;
  return settingsInForce(client, 'ops', 'lull');
};

const guide: Settings = { ...defaultSettings, role: 'guide', offerTimeout: asDuration(3 * minute) };

describe('the settings in force', () => {
  it('are written as far as they differ from the defaults', () => {
    expect(settingsOnLease(guide, '1.2.3')).toEqual({
      'lull.dev/settings': '{"role":"guide","offerTimeout":"3m"}',
      'lull.dev/version': '1.2.3',
      'lull.dev/settings-left-out': '',
    });
  });

  it('come back as they were, with who decides by them', async () => {
    expect(await ask(lease(settingsOnLease(guide, '1.2.3')))).toEqual({
      status: 'known',
      settings: guide,
      version: '1.2.3',
      holder: 'pod-1',
      leftOut: [],
    });
    expect(await ask(lease(settingsOnLease(guide, '1.2.3'), ''))).not.toHaveProperty('holder');
  });

  it('leave a catalogue out that no annotation could hold, and say so', async () => {
    const offering = { zone: 'a', capacityType: 'spot', price: 1, available: true };
    const type = { allocatable: { cpu: 4000 }, offerings: Array.from({ length: 5 }, () => offering) };
    const catalogue = Array.from({ length: 1000 }, (_, index) => ({ name: `type-${index}`, ...type }));
    const written = settingsOnLease({ ...guide, catalogue }, '1.2.3');
    expect(Object.values(written).join('').length).toBeLessThan(1000);
    expect(await ask(lease(written))).toMatchObject({ status: 'known', settings: guide, leftOut: ['catalogue'] });
  });

  it.each<{ name: string; reply: Reply; why: RegExp }>([
    {
      name: 'no lease',
      reply: { kind: 'answer', code: 404, body: {} },
      why: /^There is no Lease ops\/lull: no Lull has run/,
    },
    {
      name: 'one that may not be read',
      reply: { kind: 'answer', code: 403, body: { message: 'no' } },
      why: /403: no$/,
    },
    { name: 'nobody there', reply: { kind: 'silence', message: 'refused' }, why: /cannot be read: refused$/ },
    { name: 'a lease without any', reply: lease({}), why: /does not say with which settings/ },
    { name: 'what is no JSON', reply: lease({ 'lull.dev/settings': '{' }), why: /not JSON/ },
    { name: 'a setting of a newer Lull', reply: lease({ 'lull.dev/settings': '{"magic":1}' }), why: /magic/ },
  ])('are not known: $name', async ({ reply, why }) => {
    const found = await ask(reply);
    expect(found.status).toBe('unknown');
    expect(found.status === 'unknown' && found.why).toMatch(why);
  });
});
