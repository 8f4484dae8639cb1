// The board against a straightforward implementation of the scheduling rules.
import { describe, expect, it } from 'vitest';
import { type Plain, storeOf } from '../../../test/build.ts';
import { type Choice, find, firstPending, fitting, rawBoard } from '../../../test/placement/boards.ts';
import { randomCluster } from '../../../test/placement/randomCluster.ts';
import type { RawPod } from '../../sim/actors/rawObjects.ts';
import { feasibleNodes } from '../../sim/actors/scheduler/feasible.ts';
import type { KubeObject } from '../../sim/kubeObject.ts';
import type { ClusterBoard } from './clusterBoard.ts';
import type { RowId } from './tables.ts';

const seedsOfFits = 80;
const seedsOfPlans = 120;
const podsOfEach = 20;

const isPod = ({ kind }: KubeObject): boolean => kind === 'Pod';

const isSame = (a: KubeObject, b: KubeObject): boolean =>
  a.kind === b.kind && a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace;

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;

/** As its owner would make it again: bound to nothing, or to this node. */
const bound = (pod: KubeObject, nodeName?: string): RawPod => {
  const { nodeName: _, ...spec } = pod.spec ?? {};
  return { ...pod, spec: { ...spec, ...(nodeName && { nodeName }) } } as RawPod;
};

describe('F6: a pod fits exactly where the plainest reading of the rules lets it', () => {
  it(`on every node, for ${podsOfEach} pods of each of ${seedsOfFits} random clusters`, () => {
    const wrong: string[] = [];
    for (let seed = 0; seed < seedsOfFits; seed++) {
      const { objects } = randomCluster(seed);
      for (const raw of objects.filter(isPod).slice(0, podsOfEach)) {
        const others = objects.filter((it) => !isSame(it, raw));
        const pod = bound(raw);
        const own = firstPending(storeOf(pod as Plain));
        const mine = fitting(rawBoard([...others, pod]), own);
        const { nodes, keptOff } = feasibleNodes(pod, others);
        const odd = [
          ...mine.filter((it) => !nodes.includes(it)).map((it) => `fits on ${it}, but ${keptOff.get(it)}`),
          ...nodes.filter((it) => !mine.includes(it)).map((it) => `does not fit on ${it}`),
        ];
        wrong.push(...odd.map((text) => `seed ${seed}: ${keyOf(raw)} ${text}`));
      }
    }
    expect(wrong).toEqual([]);
  });
});

interface Step {
  readonly pod: string;
  /** Undefined = it finds no place. */
  readonly node: string | undefined;
}

/** The pods of a node, one after another, while it is drained. */
function plan(facts: ClusterBoard, row: RowId, choice: Choice): Step[] {
  const { board } = facts;
  const mark = board.mark();
  const pods = facts.podsFrom(row);
  const numbers = Array.from(board.rows.podsOn(row));
  board.removeNode(row);
  const steps = numbers.map((number, index): Step => {
    const target = find(board, number, choice, 'all');
    if (target !== undefined) board.assign(number, target);
    const node = target === undefined ? undefined : board.rows.nameOf(target);
    return { pod: `${pods[index]?.namespace}/${pods[index]?.name}`, node };
  });
  board.undo(mark);
  return steps;
}

const mark = { key: 'lull.dev/disrupted', value: 'drifted-1', effect: 'NoSchedule' };

/** A node that is being drained: it is there, tainted, and its pods have gone. */
const drained = (objects: readonly KubeObject[], name: string): readonly KubeObject[] =>
  objects.flatMap((it) => {
    if (isPod(it)) return it.spec?.nodeName === name ? [] : [it];
    if (it.kind !== 'Node' || it.metadata.name !== name) return [it];
    const taints = (it.spec?.taints ?? []) as readonly object[];
    return [{ ...it, spec: { ...it.spec, taints: [...taints, mark] } }];
  });

/** What the plainest reading has against a plan, step by step. */
function objections(objects: readonly KubeObject[], name: string, steps: readonly Step[]): string[] {
  const raw = new Map(objects.filter(isPod).map((it) => [keyOf(it), it]));
  let world = drained(objects, name);
  return steps.flatMap(({ pod, node }) => {
    const moving = raw.get(pod) as KubeObject;
    const nodes = feasibleNodes(bound(moving), world).nodes.filter((it) => it !== name);
    if (node === undefined) return nodes.length > 0 ? [`${pod} stays, but fits on ${nodes.join()}`] : [];
    world = [...world, bound(moving, node)];
    return nodes.includes(node) ? [] : [`${pod} may not go to ${node}`];
  });
}

describe.each(['first', 'likely'] as const)('F6: a plan by choice "%s"', (choice) => {
  it('overcommits no node, breaks no rule, uses no leaving node, and places every pod that fits somewhere', () => {
    const wrong: string[] = [];
    let moved = 0;
    for (let seed = 0; seed < seedsOfPlans; seed++) {
      const { objects } = randomCluster(seed, seed % 2 === 0 ? {} : { pods: 14 });
      const facts = rawBoard(objects);
      for (const { metadata } of objects.filter(({ kind }) => kind === 'Node').slice(0, 5)) {
        const steps = plan(facts, facts.board.rows.of(metadata.name) as RowId, choice);
        moved += steps.filter(({ node }) => node !== undefined).length;
        wrong.push(...objections(objects, metadata.name, steps).map((it) => `seed ${seed}, ${metadata.name}: ${it}`));
      }
    }
    expect(wrong).toEqual([]);
    expect(moved).toBeGreaterThan(100);
  });
});
