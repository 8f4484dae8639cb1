// In the middle of a roll a tenant deploys pods that are designed to be expensive: the roll continues, the lease is never lost, the tenant's own nodes are held.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { flawsOf } from './observer/flaws.ts';
import { narrate } from './observer/narrate.ts';
import { lullUser } from './story/audit.ts';
import type { RunningLull } from './story/lull.ts';
import { deployment, nodepool, pdb } from './story/objects.ts';
import { grow, nodeNames, oneByOne, parkedNodes, type Roll, release, runningPods } from './story/roll.ts';
import { describeStory } from './story/story.ts';
import { deployHostile, tenantNamespace } from './story/tenant.ts';

const hostile = { scheduled: 60, spread: 500, crowding: 50, terms: 20 };
/** In milliseconds, as in the Lease. */
const leaseLasts = 15_000;

interface Verdict {
  readonly node: string;
  readonly outcome: string;
  readonly refusals: readonly { readonly code: string; readonly owner?: { readonly namespace?: string } }[];
}

describeStory('hostile-tenant', { install: ['--set', 'role=guide'] }, (story) => {
  let lull: RunningLull;
  let roll: Roll;
  let tenants: readonly string[];
  let leader: string;
  let probes: string;
  const unwell: string[] = [];

  const lease = () => story.read('Lease', 'lull-system/lull');

  /** Requested at every poll of the story, whatever the main thread does. Readiness is not checked: a wait may make it unready for a moment. */
  const isProbed = async (): Promise<true> => {
    const health = await fetch(`${probes}/healthz`);
    if (health.status !== 200) unwell.push(await health.text());
    const ready = await (await fetch(`${probes}/readyz`)).text();
    if (/^(stuck|starting|the lease is no longer held)/.test(ready)) unwell.push(ready);
    return true;
  };

  it('six nodes of a pool are rolled, zone by zone, beside two of a tenant, while a second Lull waits for the lease', async () => {
    await grow(story, { budgets: oneByOne }, 6);
    await story.apply(pdb('web', { minAvailable: 5 }));
    const large = { name: 'tenant', instanceTypes: ['c-64x-amd64-linux'], zones: ['test-zone-a', 'test-zone-b'] };
    const anchors = deployment({ name: 'tenant', pool: 'tenant', replicas: 2, cpu: '40' });
    await story.apply(nodepool(large), anchors);
    await story.until("the tenant's two nodes exist", async () => (await runningPods(story, 'tenant')).length === 2);
    lull = await story.startLull({ role: 'guide', flags: ['--probes', '127.0.0.1:0'] });
    probes = /probes +(http:\S+)/.exec(readFileSync(lull.log, 'utf8'))?.[1] ?? '';
    leader = (await lease())?.spec.holderIdentity;
    await story.startLull({ role: 'guide' });
    await story.until('all are parked', async () => {
      const parked = [...(await parkedNodes(story)), ...(await parkedNodes(story, 'tenant'))];
      return parked.length === 8;
    });
    tenants = await nodeNames(story, '', 'tenant');
    roll = await release(story, 'two');
    await story.until('a node is gone', async () => (await roll.gone()) > 0, { within: 180 });
  });

  it('the tenant deploys 60 pods with schedules that never meet and 550 with 20 anti-affinity terms each', async () => {
    await deployHostile(story, { ...hostile, nodes: tenants });
    await release(story, 'two', 'tenant');
    // Lull has seen them once it has decided about the drift that came after them.
    await story.until(
      "the tenant's nodes have verdicts",
      async () => {
        await isProbed();
        const { text, code } = await lull.get('/api/round');
        const { verdicts } = code === 200 ? (JSON.parse(text) as { verdicts: Verdict[] }) : { verdicts: [] };
        return tenants.every((name) => verdicts.some(({ node }) => node === name));
      },
      { within: 300 },
    );
  });

  it('the roll continues to its end, as without the tenant', async () => {
    const isDone = async (): Promise<boolean> => (await isProbed()) && (await roll.isDone());
    await story.until('all six nodes are new, and their pods run', isDone, { within: 600 });
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, roll.since)}`);
    expect(flawsOf(timeline, 6, { pool: 'web' })).toEqual([]);
  });

  it("the tenant's own nodes are held, with the reason", async () => {
    const { text } = await lull.get('/api/round');
    const { verdicts } = JSON.parse(text) as { verdicts: Verdict[] };
    for (const name of tenants) {
      const verdict = verdicts.find(({ node }) => node === name);
      expect(verdict).toMatchObject({ outcome: 'held' });
      expect(verdict?.refusals.map(({ owner }) => owner?.namespace)).toContain(tenantNamespace);
      const codes = verdict?.refusals.map(({ code }) => code);
      expect(codes).toContain('NamespaceCrowded');
      // Minute 0 of the hour is allowed but blocked; from minute 49 on nothing is blocked, only not allowed.
      expect(codes).toSatisfy((all: string[]) => all.includes('PodBlocked') || all.includes('PodScheduleClosed'));
      const { stdout } = await story.lull('why', `node/${name}`);
      story.say(`lull why node/${name}:\n${stdout}`);
      expect(stdout).toMatch(new RegExp(`^${name} `));
      expect(stdout).toContain(`${tenantNamespace}/scheduled-`);
    }
    expect(await nodeNames(story, '', 'tenant')).toEqual(tenants);
  });

  it('the lease was never lost: one holder, no transition, no gap as long as its duration; probes were answered throughout', async () => {
    expect((await lease())?.spec).toMatchObject({ holderIdentity: leader, leaseTransitions: 0 });
    const renewals = story
      .audit()
      .filter(
        ({ user, resource, verb, code }) =>
          user === lullUser && resource === 'leases' && verb === 'update' && code < 300,
      )
      .map(({ at }) => Date.parse(at));
    const gaps = renewals.slice(1).map((at, index) => at - (renewals[index] ?? at));
    story.say(`${renewals.length} renewals, the longest gap ${Math.max(...gaps)} ms`);
    expect(Math.max(...gaps)).toBeLessThan(leaseLasts);
    expect(unwell).toEqual([]);
    const log = readFileSync(lull.log, 'utf8');
    expect(log).not.toMatch(/ (lost|stuck|defect) /);
    const { text } = await lull.get('/metrics');
    story.say(text.match(/^lull_(round_duration_seconds|rounds_late|rounds_total).*$/gm)?.join('\n') ?? '');
    expect(text).toMatch(/^lull_defects_total 0$/m);
  });
});
