// The guide's commands for a real cluster: the end of the first hour, upgrading and uninstalling, word by word.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { type Block, blocksOf, fileOf, isByHand } from '../docs/blocks.ts';
import { deployment, nodepool } from './story/objects.ts';
import { runningPods } from './story/roll.ts';
import { describeStory } from './story/story.ts';
import { everything, type Found, tracesIn } from './story/traces.ts';

/** The lines on a page that are to be typed by hand and call Lull, in order. */
const linesOf = (page: string): string[] =>
  blocksOf(page)
    .filter(isByHand)
    .flatMap(({ text }: Block) => text.trim().split('\n'))
    .filter((line) => line.startsWith('lull '));

const wordsOf = (line: string): string[] => line.split(' ').slice(1);

/** Names of nodes, claims and pods with their images, identities and addresses, and the API server's host and port. */
function namesIn(found: readonly Found[], server: string): readonly string[] {
  const words = found
    .filter(({ key }) => /^(Node|NodeClaim|Pod|ReplicaSet)\//.test(key))
    .flatMap(({ uid, object: { metadata, spec, status } }) => [
      metadata.name,
      uid,
      spec?.providerID,
      spec?.containers?.map(({ image }: { image: string }) => image),
      status?.addresses?.map(({ address }: { address: string }) => address),
      status?.podIP,
      status?.hostIP,
    ])
    .flat();
  const known = new Set([...words, new URL(server).host].filter((word) => typeof word === 'string' && word !== ''));
  return [...known] as string[];
}

describeStory('first-hour', { install: false }, (story) => {
  const type = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await story.lull(...wordsOf(line));
    expect(code, `${line}\n${stdout}${stderr}`).toBe(0);
    return stdout + stderr;
  };

  /** A deleted CRD is served for a moment more. */
  const all = (): Promise<readonly Found[]> =>
    story.until('every object of every kind is listed', () => everything(story.cluster.api));

  it('a pool without Lull', async () => {
    await story.apply(nodepool({ karpenterBudgets: [{ nodes: '10%' }] }), deployment({ replicas: 3 }));
    await story.until('three pods run', async () => (await runningPods(story)).length === 3);
    for (const block of blocksOf('docs/guide/first-hour.md')) {
      const file = fileOf(block);
      if (file !== undefined) writeFileSync(join(story.cluster.folder, file), block.text);
    }
  });

  it.each(linesOf('docs/guide/first-hour.md'))('first hour: %s', async (line) => {
    expect(await type(line)).not.toBe('');
    expect(tracesIn(await all())).toEqual([]);
  });

  it.each(linesOf('docs/guide/reporting.md'))('reporting: %s, and no name is in the file (L9)', async (line) => {
    expect(await type(line)).toMatch(/masked: \d+ names.*\nkept: how many objects/);
    const found = await all();
    const text = gunzipSync(readFileSync(join(story.cluster.folder, 'masked.ndjson.gz'))).toString();
    const words = namesIn(found, story.cluster.server);
    expect(words.length).toBeGreaterThan(5);
    expect(words.filter((word) => text.includes(word))).toEqual([]);
    expect(text.trim().split('\n').length).toBeGreaterThan(
      found.filter(({ key }) => /^(Node|Pod)\//.test(key)).length / 2,
    );
  });

  it.each(linesOf('docs/guide/upgrading.md'))('upgrading: %s, and again', async (line) => {
    await type(line);
    expect(await type(line)).not.toContain('created');
  });

  it.each(linesOf('docs/guide/uninstalling.md'))('uninstalling: %s', async (line) => {
    await type(line);
  });

  it('nothing of Lull is left', async () => {
    await story.until('its namespace is gone', async () => !(await story.read('Namespace', 'lull-system')));
    expect(tracesIn(await all())).toEqual([]);
  });
});
