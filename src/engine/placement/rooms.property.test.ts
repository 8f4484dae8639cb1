import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, ledger, machine, noon, pod, settings, storeOf, zone } from '../../../test/build.ts';
import type { Pod } from '../../cluster/model.ts';
import { readObject } from '../../kinds/readObject.ts';
import { observe } from '../situation.ts';
import { Rooms } from './rooms.ts';

interface SmallNode {
  readonly cpu: number;
  readonly zone: string;
  readonly tainted: boolean;
}

interface SmallPod {
  readonly cpu: number;
  /** Empty = any. */
  readonly zone: string;
  readonly tolerant: boolean;
}

/** The pods of one node (or of none), placed together; kept or given back; the node leaves or stays. */
interface Attempt {
  readonly source: number | undefined;
  readonly pods: readonly SmallPod[];
  readonly kept: boolean;
  readonly leaves: boolean;
}

const zones = fc.constantFrom('a', 'b');
const nodes = fc.array(fc.record({ cpu: fc.integer({ min: 1, max: 4 }), zone: zones, tainted: fc.boolean() }), {
  minLength: 1,
  maxLength: 6,
});
const pods = fc.array(
  fc.record({ cpu: fc.integer({ min: 1, max: 3 }), zone: fc.oneof(zones, fc.constant('')), tolerant: fc.boolean() }),
  { maxLength: 4 },
);
const attempts = fc.array(
  fc.record({ source: fc.option(fc.nat(5), { nil: undefined }), pods, kept: fc.boolean(), leaves: fc.boolean() }),
  { maxLength: 8 },
);

const taints = [{ key: 'team', effect: 'NoSchedule' }];

function readPod({ cpu, zone: where, tolerant }: SmallPod): Pod {
  const spec = {
    ...(where && { nodeSelector: { [zone]: where } }),
    ...(tolerant && { tolerations: [{ key: 'team', operator: 'Exists' }] }),
  };
  const read = readObject(pod('p', '', { cpu: String(cpu), spec }));
  if (read.kind !== 'Pod') throw new Error(read.kind);
  return read.record;
}

/** By hand: every node from the first, every time. */
function search(all: readonly SmallNode[], tries: readonly Attempt[]): (number | undefined)[][] {
  const free = all.map(({ cpu }) => cpu);
  const gone = new Set<number>();
  return tries.map(({ source, pods: mine, kept, leaves }) => {
    const left = [...free];
    const targets = mine.map((it) => {
      const found = all.findIndex(
        (target, index) =>
          index !== source &&
          !gone.has(index) &&
          (left[index] ?? 0) >= it.cpu &&
          (it.zone === '' || it.zone === target.zone) &&
          (!target.tainted || it.tolerant),
      );
      if (found === -1) return undefined;
      left[found] = (left[found] ?? 0) - it.cpu;
      return found;
    });
    if (kept) free.splice(0, free.length, ...left);
    if (leaves && source !== undefined) gone.add(source);
    return targets;
  });
}

/** By Rooms, whose cursors remember where a search may begin. */
function place(all: readonly SmallNode[], tries: readonly Attempt[]): (number | undefined)[][] {
  const machines = all.map(({ cpu, zone: where, tainted }, index) =>
    machine(`n${index}`, { zone: where, allocatable: { cpu: String(cpu) }, spec: tainted ? { taints } : {} }),
  );
  const cluster = storeOf(...machines);
  const rooms = new Rooms(observe({ cluster, ledger: ledger({}) }, at(noon), settings({})));
  return tries.map(({ source, pods: mine, kept, leaves }) => {
    const view = source === undefined ? undefined : cluster.nodes[source];
    const trial = rooms.trial(view);
    const targets = mine
      .map((it) => trial.place(readPod(it))?.node.name)
      .map((name) => (name ? Number(name.slice(1)) : undefined));
    if (kept) trial.keep();
    if (leaves && view) rooms.leave(view);
    return targets;
  });
}

describe('F6: a search that remembers where it stopped', () => {
  it('never skips a node that has room: it finds what a search from the first node finds', () => {
    fc.assert(
      fc.property(nodes, attempts, (all, tries) => {
        expect(place(all, tries)).toEqual(search(all, tries));
      }),
      { seed: 11, numRuns: 500 },
    );
  });
});
