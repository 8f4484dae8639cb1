import { describe, expect, it } from 'vitest';
import { defaultSettings, type Settings } from '../cluster/settings.ts';
import { asDuration, minute } from '../time/instant.ts';
import type { ApiReply } from './apiReply.ts';
import type { Call, Client } from './client.ts';
import { findLease, settingsInForce, settingsOnLease } from './leaseSeen.ts';

const ask = async (annotations: Readonly<Record<string, string>>) => {
  const client = {
    request: async ({ path }: Call): Promise<ApiReply> => {
      expect(path).toBe('/apis/coordination.k8s.io/v1/namespaces/ops/leases/lull');
      return { kind: 'answer', code: 200, body: { metadata: { namespace: 'ops', name: 'lull', annotations } } };
    },
  } as unknown as Client;
  const found = await findLease(client, 'lull', ['ops']);
  return found && settingsInForce(found);
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

  it('come back as they were', async () => {
    expect(await ask(settingsOnLease(guide, '1.2.3'))).toEqual({ settings: guide, leftOut: [] });
  });

  it('leave a catalogue out that no annotation could hold, and say so', async () => {
    const offering = { zone: 'a', capacityType: 'spot', price: 1, available: true };
    const type = { allocatable: { cpu: 4000 }, offerings: Array.from({ length: 5 }, () => offering) };
    const catalogue = Array.from({ length: 1000 }, (_, index) => ({ name: `type-${index}`, ...type }));
    const written = settingsOnLease({ ...guide, catalogue }, '1.2.3');
    expect(Object.values(written).join('').length).toBeLessThan(1000);
    expect(await ask(written)).toEqual({ settings: guide, leftOut: ['catalogue'] });
  });

  it.each<{ name: string; annotations: Readonly<Record<string, string>>; why: RegExp }>([
    { name: 'a lease without any', annotations: {}, why: /^Lease ops\/lull does not contain the settings/ },
    { name: 'what is not JSON', annotations: { 'lull.dev/settings': '{' }, why: /not JSON/ },
    { name: 'a setting of a newer Lull', annotations: { 'lull.dev/settings': '{"magic":1}' }, why: /magic/ },
  ])('are not known: $name', async ({ annotations, why }) => {
    expect(await ask(annotations)).toEqual({ why: expect.stringMatching(why) });
  });
});
