// Two Lulls without a lease, one with a delayed view: the ledger alone keeps them from doing anything twice or too often (G3).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openProxy } from '../kube/proxy.ts';
import { flawsOf } from './observer/flaws.ts';
import { narrate } from './observer/narrate.ts';
import { evictedTwice, lullUser } from './story/audit.ts';
import type { RunningLull } from './story/lull.ts';
import { pdb } from './story/objects.ts';
import { grow, oneByOne, parkedNodes, type Roll, release } from './story/roll.ts';
import { describeStory } from './story/story.ts';

const roles = [
  { role: 'guide', karpenterBudgets: [{ nodes: '10%' }], user: 'karpenter' },
  { role: 'drive', karpenterBudgets: [{ nodes: '0' }], user: lullUser },
] as const;

/** In milliseconds. A Lull with this delay always decides on slightly outdated facts. */
const late = 1_500;

for (const { role, karpenterBudgets, user } of roles) {
  describeStory(`two-${role}`, { install: ['--set', `role=${role}`] }, (story) => {
    let two: readonly RunningLull[];
    let roll: Roll;
    let hangUp = (): void => undefined;
    afterAll(() => hangUp());

    it(`three nodes in three zones, and two that ${role}`, async () => {
      await grow(story, { budgets: oneByOne, karpenterBudgets }, 3);
      await story.apply(pdb('web', { minAvailable: 2 }));
      const flags = ['--no-lease'];
      const prompt = await story.startLull({ role, flags });
      two = [prompt, await story.startLull({ role, flags: [...flags, '--kubeconfig', await slowKubeconfig()] })];
      if (role === 'guide')
        await story.until('all three are parked', async () => (await parkedNodes(story)).length === 3);
    });

    it('G3: the roll ends, and the observer saw nothing twice, nothing too early and nothing beyond a limit', async () => {
      roll = await release(story, 'two');
      await story.until('all three nodes are new, and their pods run', () => roll.isDone(), { within: 240 });
      const timeline = await story.observer.timeline();
      story.say(`What the observer saw:\n${narrate(timeline, roll.since)}`);
      expect(flawsOf(timeline, 3)).toEqual([]);
    });

    it(`each claim was created, and each pod evicted, once and only by ${user}`, () => {
      const asked = story.audit().filter(({ at }) => Date.parse(at) >= roll.since);
      const done = (resource: string) =>
        asked.filter((it) => it.verb === 'create' && it.resource === resource && it.code < 300);
      expect(done('nodeclaims').map((it) => it.user)).toEqual(Array(3).fill(user));
      expect(new Set(done('pods/eviction').map((it) => it.user))).toEqual(new Set([user]));
      expect(evictedTwice(asked)).toEqual([]);
      expect(asked.filter((it) => it.user === lullUser && it.decision === 'forbid')).toEqual([]);
    });

    it('both were active throughout, and neither crashed', async () => {
      for (const lull of two) {
        expect(await lull.isRunning()).toBe(true);
        const { text } = await lull.get('/metrics');
        story.say(`Ledgers written: ${text.match(/^lull_ledger_commits_total.*$/gm)?.join(', ') ?? 'none'}`);
        expect(text).toMatch(/^lull_ledger_commits_total/m);
        expect(text).toMatch(/^lull_leader 1$/m);
        expect(text).toMatch(/^lull_defects_total 0$/m);
        expect(Number(/^lull_rounds_total (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(3);
      }
    });

    async function slowKubeconfig(): Promise<string> {
      const { folder, server } = story.cluster;
      const proxy = await openProxy(new URL(server), { late });
      hangUp = proxy.close;
      const file = join(folder, 'slow.kubeconfig');
      const prompt = readFileSync(join(folder, 'lull.kubeconfig'), 'utf8');
      writeFileSync(file, prompt.replace(server, `https://127.0.0.1:${proxy.port}`), { mode: 0o600 });
      return file;
    }
  });
}
