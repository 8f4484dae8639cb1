import { describe, expect, it } from 'vitest';
import { after, asDuration, minute, second } from '../../time/instant.ts';
import type { EventKind, StoryEvent } from './event.ts';
import { proseOf } from './prose.ts';
import { start } from './stage.ts';

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
  it('tells of a node in one sentence', () => {
    expect(told(...roll('web-1', 0))).toEqual([
      '0-65 web-1 in zone a is replaced (Drifted), a new node ready within 40s, gone after 1m5s; 2 pods of shop/web move.',
    ]);
  });

  it('gathers nodes that went alike, and says how many at once', () => {
    expect(told(...roll('web-1', 0), ...roll('web-2', 61), ...roll('web-3', 130))).toEqual([
      '0-195 web-1, web-2 and web-3 in zone a are replaced (Drifted), one by one, a new node ready within 40s; 6 pods of shop/web move.',
    ]);
    expect(told(...roll('web-1', 0), ...roll('web-2', 50))).toEqual([
      '0-115 web-1 and web-2 in zone a are replaced (Drifted), up to 2 at once, a new node ready within 40s; 4 pods of shop/web move.',
    ]);
  });

  it('tells of a group as one, over when the last of it is', () => {
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
      '0-90 web-1 and web-2 are replaced together by one (Underutilized), a new node ready within 40s; 1 pod of shop/web moves.',
    ]);
  });

  it('counts nodes where they are many', () => {
    const many = Array.from({ length: 7 }, (_, index) => roll(`web-${index}`, 0)).flat();
    expect(told(...many)).toEqual([
      '0-65 7 nodes of pool web in zone a are replaced (Drifted), up to 7 at once, a new node ready within 40s; 14 pods of shop/web move.',
    ]);
  });

  it('tells zones apart where they take turns, and only there', () => {
    const two = [...roll('web-1', 0, 'a'), ...roll('web-2', 0, 'b')];
    expect(told(...two)).toHaveLength(1);
    expect(told(at('TurnTaken', 0), ...two)).toHaveLength(3);
  });

  it('breaks off where something of weight happens, but not for load', () => {
    const two = [...roll('web-1', 0), ...roll('web-2', 100)];
    expect(told(...two, at('Fault', 90))).toHaveLength(3);
    expect(told(...two, at('LoadChanged', 90, { workload: 'shop/web', pods: { from: 1, to: 2 } }))).toHaveLength(2);
  });

  it('tells pools apart, which do not break each other off', () => {
    const other = roll('db-1', 50).map((event) => ({ ...event, pool: 'db' }));
    expect(told(...roll('web-1', 0), ...other, ...roll('web-2', 100)).map((line) => line.slice(0, 22))).toEqual(
      ['0-165 web-1 and web-2 ', '50-115 db-1 in zone a i'].map((line) => line.slice(0, 22)),
    );
  });

  it('knows of a replacement that was ready only after the end', () => {
    const [chosen, , launched, , , , , gone] = roll('web-1', 0) as [StoryEvent, ...StoryEvent[]];
    const ready = at('ReplacementReady', 80, { command: 'c-web-1', claim: 'c-web-1-0' });
    expect(told(chosen, launched as StoryEvent, gone as StoryEvent, ready)).toEqual([
      '0-65 web-1 in zone a is replaced (Drifted), a new node ready within 1m20s, gone after 1m5s.',
    ]);
  });

  it('says of a node that was let go why, and how often', () => {
    const why = (id: string): Partial<StoryEvent> => ({
      node: 'web-1',
      command: id,
      text: `web-1 is released and stays: replacement ${id}-0 was not launched within a minute.`,
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
      '0-180 web-1 is chosen 2 times (Drifted); it is released and stays: its replacement was not launched within a minute.',
    ]);
  });

  it('does not name the replacement that did not come, however it is said', () => {
    const own = { node: 'web-1', command: 'c1', reason: 'Drifted' };
    const text = 'web-1 is released and stays: c1-0 did not come up within 10m.';
    expect(told(at('NodeChosen', 0, own), at('NodeReleased', 600, { ...own, text }))).toEqual([
      '0-600 web-1 is chosen (Drifted); it is released and stays: its replacement did not come up within 10m.',
    ]);
  });

  it('says how many were replaced where not all were', () => {
    const isOfReplacement = ({ kind }: StoryEvent): boolean => kind.startsWith('Replacement');
    const removed = roll('web-2', 100).filter((event) => !isOfReplacement(event));
    expect(told(...roll('web-1', 0), ...removed)).toEqual([
      '0-165 web-1 and web-2 in zone a are removed, 1 of them replaced (Drifted), one by one, a new node ready within 40s; 4 pods of shop/web move.',
    ]);
  });

  it('tells of the end of a node that nobody chose once', () => {
    const own = { node: 'web-9', text: 'web-9 is gone.' };
    expect(told(at('NodeTerminating', 0, { node: 'web-9' }), at('NodeGone', 5, own))).toEqual(['5 web-9 is gone.']);
  });

  it('gathers replacements that are given back, which break off no sentence', () => {
    const own = (id: string): Partial<StoryEvent> => ({ node: 'web-1', command: id, reason: 'Drifted' });
    const text = 'web-1 is released and stays.';
    const spare = (node: string): Partial<StoryEvent> => ({ node, claim: `c-${node}`, text: `${node} is given back.` });
    const try1 = [at('NodeChosen', 0, own('c1')), at('NodeReleased', 600, { ...own('c1'), text })];
    const try2 = [at('NodeChosen', 700, own('c2')), at('NodeReleased', 800, { ...own('c2'), text })];
    expect(told(...try1, at('NodeGone', 610, spare('web-8')), ...try2, at('NodeGone', 810, spare('web-9')))).toEqual([
      '0-800 web-1 is chosen 2 times (Drifted); it is released and stays.',
      '610-810 web-8 and web-9, replacements, are given back.',
    ]);
  });

  it('says what is not over yet', () => {
    expect(told(at('NodeChosen', 0, { node: 'web-1', command: 'c1', reason: 'Expired' }))).toEqual([
      '0 web-1 is chosen (Expired); that is not over yet.',
    ]);
  });

  it('says which pods were deleted at their deadline, and tells of each by itself', () => {
    const own = { node: 'web-1', command: 'c1', reason: 'Expired' };
    const forced = at('PodDeleted', 10, { ...own, workload: 'ml/train', text: 'ml/train-0 is deleted.' });
    expect(told(at('NodeChosen', 0, own), forced, at('NodeGone', 30, own))).toEqual([
      '0-30 web-1 is removed (Expired), gone after 30s; 1 pod of ml/train is deleted at the deadline.',
      '10 ml/train-0 is deleted.',
    ]);
  });

  it('counts the deaths of a controller, which break off no sentence', () => {
    const dies = (seconds: number) => [
      at('Fault', seconds, { controller: 'lull-1', text: 'lull-1 dies.' }),
      at('Fault', seconds + 5, { controller: 'lull-1', text: 'lull-1 is back.' }),
    ];
    expect(told(...roll('web-1', 0), ...dies(10), ...roll('web-2', 100), ...dies(110))).toEqual([
      expect.stringContaining('0-165 web-1 and web-2 in zone a are replaced'),
      '10-115 lull-1 dies 2 times, and is back after 5s; it knows nothing then but what the cluster remembers.',
    ]);
    expect(told(...dies(10).slice(0, 1))).toEqual(['10 lull-1 dies.']);
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
      '5-305 web-8 and web-9 come up within 33s, for pods that fit nowhere.',
      '600-900 shop/web is scaled down from 14 to 10 pods in 2 steps.',
    ]);
  });

  it('leaves everything else as it was told', () => {
    expect(
      told(at('WindowOpened', 0, { text: 'Window night opens.' }), at('Fault', 1, { text: 'lull-1 dies.' })),
    ).toEqual(['0 Window night opens.', '1 lull-1 dies.']);
  });
});
