// A newer Lull takes over in the middle of a roll, and is rolled back again: zone order and budgets hold, and nothing of its ledger is lost (G2, K4).
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../cluster/places.ts';
import { flawsOf } from './observer/flaws.ts';
import { narrate } from './observer/narrate.ts';
import { evictedTwice, lullUser } from './story/audit.ts';
import type { RunningLull } from './story/lull.ts';
import { pdb } from './story/objects.ts';
import { grow, oneByOne, parkedNodes, type Roll, release } from './story/roll.ts';
import { describeStory, type Story } from './story/story.ts';

const nodes = 6;
const newVersion = '99.0.0';
/** Fields that this Lull does not know, as a newer one may have written them. */
const newer = { waves: [{ pool: 'web', reached: 2 }] };

describeStory('upgrade', { install: ['--set', 'role=guide'] }, (story) => {
  let old: RunningLull;
  let next: RunningLull;
  let roll: Roll;

  it('a Lull guides, and a newer one is the standby, as in a rolling update of its Deployment', async () => {
    await grow(story, { budgets: oneByOne }, nodes);
    await story.apply(pdb('web', { minAvailable: nodes - 1 }));
    await relaxLedger(story);
    old = await story.startLull({ role: 'guide' });
    await story.until('all are parked', async () => (await parkedNodes(story)).length === nodes);
    next = await story.startLull({ role: 'guide', program: newProgram(story), ready: false });
    await story.until('the newer one is the standby', async () => /leads/.test((await next.get('/readyz')).text));
  });

  it('the older one ends while an offer is open, and the newer one continues', async () => {
    roll = await release(story, 'two');
    await story.until('an offer is open', async () => (await ledgerOf(story)).commands.some(isOffered));
    await old.kill('SIGTERM');
    await story.until('the newer one leads', async () => (await versionOnLease(story)) === newVersion);
    await story.until('a node is gone', async () => (await roll.gone()) > 0);
  });

  it('it is rolled back: the older one reads the ledger of the newer one', async () => {
    await story.patch('DisruptionLedger', 'lull', { spec: newer });
    await next.kill('SIGTERM');
    await old.start();
    expect(await versionOnLease(story)).not.toBe(newVersion);
    const gone = await roll.gone();
    await story.until('it continues', async () => (await roll.gone()) > gone);
  });

  it('a ledger with an unknown version is left alone: nothing is decided until it can be read', async () => {
    await story.patch('DisruptionLedger', 'lull', { spec: { version: 2 } });
    await story.until('it decides nothing, and says why', async () =>
      /version 2 is newer than this Lull/.test(old.tail()),
    );
    expect((await old.get('/metrics')).text).toMatch(/^lull_unsynced [1-9]/m);
    expect(await ledgerOf(story)).toMatchObject({ version: 2, ...newer });
    await story.patch('DisruptionLedger', 'lull', { spec: { version: 1 } });
  });

  it('the roll ends, and nothing of the ledger is lost; the observer saw zone after zone, one node at a time', async () => {
    await story.until('all nodes are new, and their pods run', () => roll.isDone(), { within: 240 });
    await story.until('all are parked again', async () => (await parkedNodes(story)).length === nodes);
    expect(await ledgerOf(story)).toMatchObject(newer);
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, roll.since)}`);
    expect(flawsOf(timeline, nodes)).toEqual([]);
    expect(evictedTwice(story.audit())).toEqual([]);
    expect(story.audit().filter(({ user, decision }) => user === lullUser && decision === 'forbid')).toEqual([]);
  });
});

interface LedgerSpec {
  readonly version: number;
  readonly commands: readonly { readonly step: string }[];
}

const isOffered = ({ step }: LedgerSpec['commands'][number]): boolean => step === 'offered';

const ledgerOf = async (story: Story): Promise<LedgerSpec> =>
  (await story.read('DisruptionLedger', 'lull'))?.spec ?? { version: 1, commands: [] };

const versionOnLease = async (story: Story): Promise<string | undefined> =>
  (await story.read('Lease', 'lull-system/lull'))?.metadata.annotations?.['lull.dev/version'];

/** Like the CRD of a newer Lull: it keeps fields that this one does not know. */
async function relaxLedger(story: Story): Promise<void> {
  const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec';
  const value = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const said = await story.jsonPatch('CustomResourceDefinition', 'disruptionledgers.lull.dev', [
    { op: 'replace', path, value },
  ]);
  expect(said.code).toBe(200);
}

/** The same program under another version. */
function newProgram({ cluster }: Story): string {
  const folder = join(cluster.folder, 'newer');
  mkdirSync(join(folder, 'dist'), { recursive: true });
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  for (const thread of ['searchThread.mjs', 'watchdogThread.mjs'])
    cpSync(join(root, 'dist', thread), join(folder, 'dist', thread));
  cpSync(join(root, 'dist', 'chunks'), join(folder, 'dist', 'chunks'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const built = readFileSync(join(root, 'dist', 'lull.mjs'), 'utf8');
  expect(built).toContain(`"${version}"`);
  writeFileSync(join(folder, 'dist', 'lull.mjs'), built.replaceAll(`"${version}"`, `"${newVersion}"`));
  return join(folder, 'bin', 'lull');
}
