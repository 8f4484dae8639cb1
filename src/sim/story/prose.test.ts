// The narrative: combined sentences.
import { describe, expect, it } from 'vitest';
import { start } from '../../../test/sim/storyStage.ts';
import { after, asDuration, minute, second } from '../../time/instant.ts';
import { proseOf } from './prose.ts';
import type { EventKind, StoryEvent } from './storyEvent.ts';

const at = (kind: EventKind, seconds: number, fields: Partial<StoryEvent> = {}): StoryEvent => ({
  at: after(start, asDuration(seconds * second)),
  kind,
  pool: 'web',
  text: `${kind}.`,
  ...fields,
});

/** The whole life of a command, from its choice to the end of its node. */
function roll(node: string, from: number, domain = 'a'): StoryEvent[] {
  const own = { node, domain, command: `c-${node}`, reason: 'Drifted' };
  return [
    at('NodeChosen', from, own),
    at('NodeTainted', from, own),
    at('ReplacementLaunched', from, { command: own.command, claim: `c-${node}-0` }),
    at('ReplacementReady', from + 40, { command: own.command, claim: `c-${node}-0` }),
    at('PodEvicted', from + 41, { ...own, pod: `shop/${node}-x`, workload: 'shop/web' }),
    at('PodEvicted', from + 42, { ...own, pod: `shop/${node}-y`, workload: 'shop/web' }),
    at('NodeTerminating', from + 60, own),
    at('NodeGone', from + 65, own),
  ];
}

const byTime = (events: StoryEvent[]): StoryEvent[] => [...events].sort((a, b) => a.at - b.at);
const told = (...events: StoryEvent[]): string[] =>
  proseOf(byTime(events)).map(
    (line) => `${(line.at - start) / second}${line.to ? `-${(line.to - start) / second}` : ''} ${line.text}`,
  );

describe('Prose', () => {
  it('describes the replacement of a node in one sentence', () => {
    expect(told(...roll('web-1', 0))).toEqual([
      '0-65 web-1 in zone a is replaced (Drifted), replacement ready within 40s, gone after 1m5s; 2 pods of shop/web move.',
    ]);
  });

  it('combines nodes that were replaced alike, with how many at a time', () => {
    expect(told(...roll('web-1', 0), ...roll('web-2', 61), ...roll('web-3', 130))).toEqual([
      '0-195 web-1, web-2 and web-3 in zone a are replaced (Drifted), one by one, each replacement ready within 40s; 6 pods of shop/web move.',
    ]);
    expect(told(...roll('web-1', 0), ...roll('web-2', 50))).toEqual([
      '0-115 web-1 and web-2 in zone a are replaced (Drifted), up to 2 at a time, each replacement ready within 40s; 4 pods of shop/web move.',
    ]);
  });

  it('describes a group in one sentence, which ends with its last node', () => {
    const own = (node: string, domain: string) => ({ node, domain, command: 'g', reason: 'Underutilized' });
    const group = [own('web-1', 'a'), own('web-2', 'b')];
    const life = [
      ...group.map((each) => at('NodeChosen', 0, each)),
      at('ReplacementLaunched', 20, { command: 'g', claim: 'g-0' }),
      at('ReplacementReady', 60, { command: 'g', claim: 'g-0' }),
      at('NodeGone', 70, group[0]),
      ...group.slice(1).map((each) => at('PodEvicted', 75, { ...each, pod: 'shop/x', workload: 'shop/web' })),
      at('NodeGone', 90, group[1]),
    ];
    expect(told(...life)).toEqual([
      '0-90 web-1 and web-2 are replaced together by one node (Underutilized), replacement ready within 40s; 1 pod of shop/web moves.',
    ]);
  });

  it('counts nodes instead of naming them if there are many', () => {
    const many = Array.from({ length: 7 }, (_, index) => roll(`web-${index}`, 0)).flat();
    expect(told(...many)).toEqual([
      '0-65 7 nodes of pool web in zone a are replaced (Drifted), up to 7 at a time, each replacement ready within 40s; 14 pods of shop/web move.',
    ]);
  });

  it('separates zones only if they take turns', () => {
    const two = [...roll('web-1', 0, 'a'), ...roll('web-2', 0, 'b')];
    expect(told(...two)).toHaveLength(1);
    expect(told(at('TurnTaken', 0), ...two)).toHaveLength(3);
  });

  it('starts a new sentence after a fault, but not after a change of load', () => {
    const two = [...roll('web-1', 0), ...roll('web-2', 100)];
    expect(told(...two, at('Fault', 90))).toHaveLength(3);
    expect(told(...two, at('LoadChanged', 90, { workload: 'shop/web', pods: { from: 1, to: 2 } }))).toHaveLength(2);
  });

  it('separates pools, which do not split each other’s sentences', () => {
    const other = roll('db-1', 50).map((event) => ({ ...event, pool: 'db' }));
    expect(told(...roll('web-1', 0), ...other, ...roll('web-2', 100)).map((line) => line.slice(0, 22))).toEqual(
      ['0-165 web-1 and web-2 ', '50-115 db-1 in zone a i'].map((line) => line.slice(0, 22)),
    );
  });

  it('includes a replacement that was ready only after the node was gone', () => {
    const [chosen, , launched, , , , , gone] = roll('web-1', 0) as [StoryEvent, ...StoryEvent[]];
    const ready = at('ReplacementReady', 80, { command: 'c-web-1', claim: 'c-web-1-0' });
    expect(told(chosen, launched as StoryEvent, gone as StoryEvent, ready)).toEqual([
      '0-65 web-1 in zone a is replaced (Drifted), replacement ready within 1m20s, gone after 1m5s.',
    ]);
  });

  it('reports why and how often a node was released', () => {
    const why = (id: string): Partial<StoryEvent> => ({
      node: 'web-1',
      command: id,
      why: `replacement ${id}-0 was not launched within a minute`,
    });
    const chosen = (id: string): Partial<StoryEvent> => ({ node: 'web-1', command: id, reason: 'Drifted' });
    expect(
      told(
        at('NodeChosen', 0, chosen('c1')),
        at('NodeReleased', 60, why('c1')),
        at('NodeChosen', 120, chosen('c2')),
        at('NodeReleased', 180, why('c2')),
      ),
    ).toEqual([
      '0-180 web-1 is chosen 2 times (Drifted), and released each time: the replacement was not launched within a minute.',
    ]);
  });

  it('does not name the replacement that was not ready', () => {
    const own = { node: 'web-1', command: 'c1', reason: 'Drifted' };
    const why = 'c1-0 was not ready within 10m';
    expect(told(at('NodeChosen', 0, own), at('NodeReleased', 600, { ...own, why }))).toEqual([
      '0-600 web-1 is chosen (Drifted), then released: the replacement was not ready within 10m.',
    ]);
  });

  it('reports how many were replaced if not all were', () => {
    const isOfReplacement = ({ kind }: StoryEvent): boolean => kind.startsWith('Replacement');
    const removed = roll('web-2', 100).filter((event) => !isOfReplacement(event));
    expect(told(...roll('web-1', 0), ...removed)).toEqual([
      '0-165 web-1 and web-2 in zone a are removed, 1 of them replaced (Drifted), one by one, each replacement ready within 40s; 4 pods of shop/web move.',
    ]);
  });

  it('reports the end of a node that no command chose once', () => {
    const own = { node: 'web-9', text: 'web-9 is gone.' };
    expect(told(at('NodeTerminating', 0, { node: 'web-9' }), at('NodeGone', 5, own))).toEqual(['5 web-9 is gone.']);
  });

  it('combines unused replacements, which do not split a sentence', () => {
    const own = (id: string): Partial<StoryEvent> => ({ node: 'web-1', command: id, reason: 'Drifted' });
    const spare = (node: string): Partial<StoryEvent> => ({ node, claim: `c-${node}`, text: `${node} is deleted.` });
    const try1 = [at('NodeChosen', 0, own('c1')), at('NodeReleased', 600, own('c1'))];
    const try2 = [at('NodeChosen', 700, own('c2')), at('NodeReleased', 800, own('c2'))];
    expect(told(...try1, at('NodeGone', 610, spare('web-8')), ...try2, at('NodeGone', 810, spare('web-9')))).toEqual([
      '0-800 web-1 is chosen 2 times (Drifted), and released each time.',
      '610-810 web-8 and web-9 (unused replacements) are deleted.',
    ]);
  });

  it('reports what is not over yet', () => {
    expect(told(at('NodeChosen', 0, { node: 'web-1', command: 'c1', reason: 'Expired' }))).toEqual([
      '0 web-1 is chosen (Expired), not finished yet.',
    ]);
  });

  it('counts pods deleted at the deadline, and lists each of them too', () => {
    const own = { node: 'web-1', command: 'c1', reason: 'Expired' };
    const forced = at('PodDeleted', 10, { ...own, workload: 'ml/train', text: 'ml/train-0 is deleted.' });
    expect(told(at('NodeChosen', 0, own), forced, at('NodeGone', 30, own))).toEqual([
      '0-30 web-1 is removed (Expired), gone after 30s; 1 pod of ml/train is deleted at the deadline.',
      '10 ml/train-0 is deleted.',
    ]);
  });

  it('counts the crashes of a controller, which do not split a sentence', () => {
    const crash = (seconds: number) => [
      at('Fault', seconds, { controller: 'lull-1', text: 'lull-1 crashes.' }),
      at('Fault', seconds + 5, { controller: 'lull-1', isRestart: true, text: 'lull-1 restarts.' }),
    ];
    expect(told(...roll('web-1', 0), ...crash(10), ...roll('web-2', 100), ...crash(110))).toEqual([
      expect.stringContaining('0-165 web-1 and web-2 in zone a are replaced'),
      '10-115 lull-1 crashes 2 times; each time it restarts within 5s and reads its state from the cluster.',
    ]);
    expect(told(...crash(10).slice(0, 1))).toEqual(['10 lull-1 crashes.']);
  });

  it('follows load up and down, with the nodes that come for it', () => {
    const load = (minutes: number, from: number, to: number) =>
      at('LoadChanged', (minutes * minute) / second, {
        workload: 'shop/web',
        pods: { from, to },
        text: `from ${from} to ${to}`,
      });
    const come = (name: string, seconds: number) => [
      at('NodeLaunched', seconds, { claim: `claim of ${name}` }),
      at('NodeReady', seconds + 33, { claim: `claim of ${name}`, node: name }),
    ];
    expect(
      told(
        load(0, 10, 12),
        ...come('web-8', 5),
        load(5, 12, 14),
        ...come('web-9', 305),
        load(10, 14, 11),
        load(15, 11, 10),
      ),
    ).toEqual([
      '0-300 shop/web is scaled up from 10 to 14 pods in 2 steps.',
      '5-305 web-8 and web-9 are launched for pending pods, ready within 33s.',
      '600-900 shop/web is scaled down from 14 to 10 pods in 2 steps.',
    ]);
  });

  it('says that nodes of a static pool are launched to keep its size', () => {
    const launched = at('NodeLaunched', 0, { claim: 'db-x', pool: 'db', isStatic: true });
    const ready = at('NodeReady', 33, { claim: 'db-x', node: 'db-1', pool: 'db' });
    expect(told(launched, ready)).toEqual(['0 db-1 is launched to keep pool db at its size, ready within 33s.']);
  });

  it('leaves all other events unchanged', () => {
    expect(
      told(at('WindowOpened', 0, { text: 'Window night opens.' }), at('Fault', 1, { text: 'lull-1 crashes.' })),
    ).toEqual(['0 Window night opens.', '1 lull-1 crashes.']);
  });
});
