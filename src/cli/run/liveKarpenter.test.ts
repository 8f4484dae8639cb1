import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../cluster/settings.ts';
import type { ApiReply } from '../../kube/apiReply.ts';
import type { Call, Client } from '../../kube/client.ts';
import { Meter } from '../../server/meter.ts';
import { BornParkedWatch, isShort } from './liveKarpenter.ts';

const group = '/apis/admissionregistration.k8s.io';
const said = (code: number, body: unknown = { kind: 'Status' }): ApiReply => ({ kind: 'answer', code, body });
const silence: ApiReply = { kind: 'silence', message: 'no answer' } as ApiReply;
const list = (...names: string[]): ApiReply => said(200, { resources: names.map((name) => ({ name })) });
const there = said(200, { metadata: { name: 'lull-born-parked' } });

const served = { [`${group}/v1`]: list('mutatingadmissionpolicies', 'mutatingadmissionpolicybindings') };
const older = {
  [`${group}/v1`]: list('validatingadmissionpolicies'),
  [`${group}/v1beta1`]: list('mutatingadmissionpolicies'),
};
const both = (version: string, reply = there) => ({
  [`${group}/${version}/mutatingadmissionpolicies/lull-born-parked`]: reply,
  [`${group}/${version}/mutatingadmissionpolicybindings/lull-born-parked`]: reply,
});

/** The server's responses by path; a test may change them between two looks. */
function open(role: 'guide' | 'observe' = 'guide') {
  const answers = { now: {} as Record<string, ApiReply> };
  const client = { request: async ({ path }: Call) => answers.now[path] ?? said(404) } as unknown as Client;
  const meter = new Meter();
  const told: string[] = [];
  const log = ({ text }: { text: string }): void => {
    told.push(text);
  };
  const watch = new BornParkedWatch({ client, settings: { ...defaultSettings, role }, log, meter });
  const look = async (now: Record<string, ApiReply>) => {
    answers.now = now;
    await watch.look();
    return { told: told.splice(0), metric: meter.bornParked };
  };
  return { look, watch };
}

describe('F5: the metrics are read more often in a shortage', () => {
  const type = (price: number, available: boolean) => ({
    name: 't',
    allocatable: {},
    offerings: [{ zone: 'a', capacityType: 'on-demand', price, available }],
  });

  it.each([
    { it: 'an offering is not available', types: [type(1, true), type(1, false)], short: true },
    { it: 'all are available', types: [type(1, true)], short: false },
    { it: 'only reserved capacity is not, which costs nothing', types: [type(0, false)], short: false },
    { it: 'nothing was read yet', types: undefined, short: false },
  ])('$it: $short', ({ types, short }) => {
    expect(isShort(types)).toBe(short);
  });
});

describe('N2: whether new nodes are parked at creation', () => {
  it.each([
    { it: 'v1', now: { ...served, ...both('v1') }, metric: true, says: /^New nodes are parked at creation/ },
    { it: 'v1beta1', now: { ...older, ...both('v1beta1') }, metric: true, says: /^New nodes are parked at creation/ },
    { it: 'not installed', now: served, metric: false, says: /missing\. Nodes .* only spec\.disruption\.budgets/ },
    {
      it: 'without its binding',
      now: { ...served, [`${group}/v1/mutatingadmissionpolicies/lull-born-parked`]: there },
      metric: false,
      says: /or its binding is missing/,
    },
    {
      it: 'being deleted',
      now: { ...served, ...both('v1', said(200, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })) },
      metric: false,
      says: /missing/,
    },
    { it: 'not served', now: {}, metric: false, says: /does not serve MutatingAdmissionPolicy .*spec\.disruption/ },
    { it: 'forbidden', now: { ...served, ...both('v1', said(403)) }, metric: undefined, says: /^Lull may not read/ },
  ])('$it', async ({ now, metric, says }) => {
    const seen = await open().look(now);
    expect(seen).toEqual({ told: [expect.stringMatching(says)], metric });
  });

  it('is logged again only when it changes; no answer changes nothing', async () => {
    const { look } = open();
    const now = { ...served, ...both('v1') };
    expect((await look(now)).told).toHaveLength(1);
    expect(await look(now)).toEqual({ told: [], metric: true });
    expect(await look({ [`${group}/v1`]: silence })).toEqual({ told: [], metric: true });
    expect(await look({ ...served, ...both('v1', said(503)) })).toEqual({ told: [], metric: true });
    expect(await look(served)).toEqual({ told: [expect.stringContaining('missing')], metric: false });
    expect(await look(now)).toEqual({ told: [expect.stringContaining('at creation')], metric: true });
  });

  it('is ignored in other roles', async () => {
    const { look, watch } = open('observe');
    expect(await look(served)).toEqual({ told: [], metric: undefined });
    expect(watch.inForce).toBeUndefined();
  });
});
