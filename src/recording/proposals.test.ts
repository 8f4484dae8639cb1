// Search proposals in recordings.
import { describe, expect, it } from 'vitest';
import { at, noon, settings } from '../../test/build.ts';
import { emptyLedger } from '../cluster/ledger.ts';
import type { InstanceType } from '../cluster/settings.ts';
import type { Proposal } from '../engine/consolidation/proposal.ts';
import { ObservedObjects, RoundRecorder } from './recorder.ts';
import { replayRounds } from './replay.ts';

const proposal = (...nodes: readonly string[]): Proposal => ({
  version: 'recorded',
  nodes,
  isReplaced: nodes.length > 1,
  savings: 0.25,
  podsMoved: 3,
});

/** A recording of one round for each list; undefined = no search ran. */
function recorded(...lists: readonly (readonly Proposal[] | undefined)[]): readonly string[] {
  const lines: string[] = [];
  const observed = new ObservedObjects();
  const recorder = new RoundRecorder({
    write: (line) => lines.push(line),
    program: '1',
    settings: settings({}),
    observed,
  });
  for (const proposals of lists)
    recorder.round({ at: at(noon), ledger: emptyLedger, ...(proposals && { proposals }), printed: { at: noon } });
  recorder.end();
  return lines;
}

const replayed = (lines: readonly string[]) => [...replayRounds(lines.join('\n'))].map(({ facts }) => facts.proposals);

describe('J4: that pods were seen less far than nodes', () => {
  it('is known of each round alone', () => {
    const lines: string[] = [];
    const write = (line: string) => lines.push(line);
    const recorder = new RoundRecorder({
      write,
      program: '1',
      settings: settings({}),
      observed: new ObservedObjects(),
    });
    for (const podsBehind of [true, false, true])
      recorder.round({ at: at(noon), ledger: emptyLedger, podsBehind, printed: { at: noon } });
    recorder.end();
    const behind = [...replayRounds(lines.join('\n'))].map(({ facts }) => facts.podsBehind ?? false);
    expect(behind).toEqual([true, false, true]);
  });
});

describe("J4: that Karpenter's metrics were not read yet", () => {
  it('is known of each round alone', () => {
    const lines: string[] = [];
    const write = (line: string) => lines.push(line);
    const recorder = new RoundRecorder({
      write,
      program: '1',
      settings: settings({}),
      observed: new ObservedObjects(),
    });
    for (const typesAwaited of [true, true, false])
      recorder.round({ at: at(noon), ledger: emptyLedger, typesAwaited, printed: { at: noon } });
    recorder.end();
    const awaited = [...replayRounds(lines.join('\n'))].map(({ facts }) => facts.typesAwaited ?? false);
    expect(awaited).toEqual([true, true, false]);
  });
});

describe("J4: what Karpenter's metrics said of instance types", () => {
  const type = (name: string, price: number): InstanceType => ({
    name,
    allocatable: { cpu: 1910, memory: 2 ** 33 - 1, pods: 14 },
    offerings: [{ zone: 'a', capacityType: 'spot', price, available: true }],
    labels: { 'kubernetes.io/arch': 'amd64' },
    estimated: true,
  });

  it('is that of the round, to the last digit, and is written when it changes', () => {
    const lines: string[] = [];
    const write = (line: string) => lines.push(line);
    const recorder = new RoundRecorder({
      write,
      program: '1',
      settings: settings({}),
      observed: new ObservedObjects(),
    });
    const [cheap, dear] = [[type('m5.large', 0.040_000_1)], [type('m5.large', 0.05), type('c5.large', 0.1)]];
    for (const instanceTypes of [undefined, cheap, cheap, dear])
      recorder.round({
        at: at(noon),
        ledger: emptyLedger,
        ...(instanceTypes && { instanceTypes }),
        printed: { at: noon },
      });
    recorder.end();
    const read = [...replayRounds(lines.join('\n'))].map(({ facts }) => facts.instanceTypes);
    expect(read).toEqual([undefined, cheap, cheap, dear]);
    expect(lines.filter((line) => line.includes('"instanceTypes"'))).toHaveLength(2);
  });
});

describe('J4: the proposals that a round was given', () => {
  const [one, group] = [[proposal('n1')], [proposal('n1', 'n2'), proposal('n3')]];

  it.each([
    ['are those of their round', [one, group, one]],
    ['stay until others come', [one, one, one]],
    ['may be none any more', [group, [], group]],
  ])('%s', (_, lists) => {
    expect(replayed(recorded(...lists))).toEqual(lists);
  });

  it('are written once while they are equal, in whichever list they are', () => {
    const written = recorded(group, group, structuredClone(group)).filter((line) => line.includes('"proposals"'));
    expect(written).toHaveLength(1);
  });

  it('are absent from recordings of a Lull that knew no searches, which are replayed as ever', () => {
    const lines = recorded(undefined, undefined);
    expect(lines.join('\n')).not.toContain('proposals');
    expect(replayed(lines)).toEqual([undefined, undefined]);
  });
});
