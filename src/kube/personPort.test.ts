import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Front, openFront } from '../../test/kube/front.ts';
import { emptyLedger, type Ledger } from '../cluster/ledger.ts';
import { writeLedger } from '../kinds/read/disruptionLedger.ts';
import { passTurn } from '../server/userRequests.ts';
import type { KubeObject } from '../sim/kubeObject.ts';
import { Objects } from '../sim/objects.ts';
import { VirtualClock } from '../sim/virtualClock.ts';
import { type Instant, parseInstant } from '../time/instant.ts';
import { ledgerKind } from './apiKind.ts';
import { type Client, openClient } from './client.ts';
import { fixedIdentity } from './clusterAccess.ts';
import { openPersonPort } from './personPort.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;
const lists = { inFlight: [], unreadyAtStart: [], replacements: [], expected: [], passedOver: [] };
const turn = { pool: 'web', topologyKey: 'zone', domain: 'a', takenAt: noon, progressAt: noon, ...lists };
const ledger: Ledger = { ...emptyLedger, turns: [turn] };

let clock: VirtualClock;
let objects: Objects;
let front: Front;
let client: Client;

beforeEach(async () => {
  clock = new VirtualClock(noon);
  objects = new Objects(clock);
  front = await openFront(objects);
  client = openClient({ server: front.url, tls: {}, ...fixedIdentity({}) }, clock);
  objects.create(writeLedger(ledger) as unknown as KubeObject, 'lull');
});
afterEach(async () => {
  client.close();
  await front.close();
});

const open = () => openPersonPort({ client, clock, kinds: [ledgerKind] });
const spec = () => objects.get(ledgerKind, 'lull')?.spec as Record<string, unknown>;

describe('G2: a person writes the ledger', () => {
  it('without losing what Lull wrote meanwhile', async () => {
    const port = await open();
    objects.write(ledgerKind, 'lull', 'lull', (it) => ({
      ...it,
      spec: { ...(it.spec as object), backoffs: [{ pool: 'db', until: '2026-03-10T13:00:00Z', delay: '1m0s' }] },
    }));
    expect(await passTurn(port, 'web', noon)).toMatchObject({ turns: [{ domain: 'a' }] });
    expect(spec()).toMatchObject({ turns: [{ passAsked: '2026-03-10T12:00:00Z' }], backoffs: [{ pool: 'db' }] });
  });

  it('but not if it has been deleted', async () => {
    const port = await open();
    objects.delete(ledgerKind, 'lull', 'user');
    expect(await passTurn(port, 'web', noon)).toMatchObject({ missing: expect.stringContaining('no pool web') });
  });

  it('nor if it cannot be read', async () => {
    objects.write(ledgerKind, 'lull', 'lull', (it) => ({ ...it, spec: { version: 99 } }));
    const port = await open();
    expect(await passTurn(port, 'web', noon)).toMatchObject({ answer: { status: 'away' } });
    expect(spec()).toEqual({ version: 99 });
  });

  it('nor if the server does not answer', async () => {
    const port = await open();
    front.cutOff(true);
    expect(await passTurn(port, 'web', noon)).toMatchObject({ answer: { status: 'away' } });
    await expect(open()).rejects.toThrow('disruptionledgers of the cluster cannot be listed');
  });
});
