import { describe, expect, it } from 'vitest';
import { at, machine, noon, type Objects, type Plain, pod, pool, settings, storeOf } from '../../test/build.ts';
import { emptyLedger } from '../cluster/ledger.ts';
import type { InstanceType } from '../cluster/settings.ts';
import { decideRound } from './round.ts';
import { withTypes } from './withTypes.ts';

const mebi = 2 ** 20;
const type = (name: string, cores: number, price: number, labels: Record<string, string> = {}): InstanceType => ({
  name,
  allocatable: { cpu: cores * 1000, memory: cores * 4096 * mebi, pods: 10 * cores },
  offerings: [{ zone: 'a', capacityType: 'on-demand', price, available: true }],
  labels,
  estimated: true,
});
const read = [type('small', 2, 0.1), type('large', 8, 0.4)];

/** Nothing on it says what it costs. */
const large = (labels: Plain = {}) =>
  machine('n1', {
    zone: 'a',
    labels: { 'node.kubernetes.io/instance-type': 'large', 'karpenter.sh/capacity-type': 'on-demand', ...labels },
    allocatable: { cpu: '7900m', memory: '30Gi' },
  });
const web = (requirements: readonly Plain[] = []) =>
  pool('web', { consolidateAfter: '0s', template: { requirements } });
const decide = (objects: Objects, instanceTypes: readonly InstanceType[] | undefined, values: Plain = {}) =>
  decideRound(
    { cluster: storeOf(...objects), ledger: emptyLedger, ...(instanceTypes && { instanceTypes }) },
    at(noon),
    settings({ role: 'drive', ...values }),
  );
const codes = (round: ReturnType<typeof decide>) =>
  round.verdicts.flatMap(({ refusals }) => refusals.map(({ code, typesSeenOnly }) => [code, typesSeenOnly ?? false]));

describe("F5: instance types from Karpenter's metrics", () => {
  const little = pod('p', 'n1', { cpu: '1500m' });

  it('give a node its price and a cheaper replacement', () => {
    expect(codes(decide([web(), large(), little], undefined))).toEqual([['NoPriceKnown', true]]);
    const [command] = decide([web(), large(), little], read).commands;
    expect(command).toMatchObject({ savings: 0.3, replacements: [{ instanceType: 'small' }] });
  });

  it('what a node of the type shows stands before what was worked out', () => {
    const full = pod('p', 'n1', { cpu: '7' });
    const wide = [type('large', 4, 0.4), type('larger', 6, 0.3)];
    expect(decide([web(), large(), full], wide).commands).toEqual([]);
    // A pod of seven cores does fit on the type that a node shows.
    expect(codes(decide([web(), large(), full], wide))).toEqual([['NotCheaper', false]]);
  });

  it('what the catalogue says of a type stands before what was read', () => {
    const own = { ...type('large', 8, 9), estimated: true } as const;
    const given = settings({
      catalogue: [
        {
          name: 'large',
          cpu: '8',
          memory: '32Gi',
          pods: '110',
          offerings: [{ zone: 'a', capacityType: 'on-demand', price: 1 }],
        },
      ],
    });
    const merged = withTypes(given, [own, type('small', 2, 0.1)]);
    expect(merged.catalogue.map(({ name, offerings }) => [name, offerings[0]?.price])).toEqual([
      ['large', 1],
      ['small', 0.1],
    ]);
  });

  it('the same settings and types are the same object, so that answers are remembered', () => {
    const given = settings({});
    expect(withTypes(given, read)).toBe(withTypes(given, read));
    expect(withTypes(given, undefined)).toBe(given);
    expect(withTypes(given, [])).toBe(given);
  });

  it('a type whose label a pool asks for and nobody knows is left out, and then not all types are known', () => {
    const needs = web([{ key: 'example.com/disk', operator: 'In', values: ['fast', 'slow'] }]);
    expect(codes(decide([needs, large({ 'example.com/disk': 'fast' }), little], read))).toEqual([['NotCheaper', true]]);
    const known = [type('small', 2, 0.1, { 'example.com/disk': 'slow' }), ...read.slice(1)];
    const [command] = decide([needs, large({ 'example.com/disk': 'fast' }), little], known).commands;
    expect(command).toMatchObject({ replacements: [{ instanceType: 'small' }] });
  });

  it('another architecture than the pool makes is no replacement', () => {
    const arm = [type('small', 2, 0.1, { 'kubernetes.io/arch': 'arm64' }), ...read.slice(1)];
    const needs = web([{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }]);
    expect(decide([needs, large({ 'kubernetes.io/arch': 'amd64' }), little], arm).commands).toEqual([]);
  });

  it('I5: a type that is missing there is no drift', () => {
    const round = decide([web(), large(), little], [type('small', 2, 0.1)], { drift: 'computed' });
    expect(round.verdicts.map(({ reason }) => reason)).not.toContain('Drifted');
  });

  it('in guide nothing is offered for Karpenter to judge before the first answer is here', () => {
    const cluster = storeOf(web(), large(), pod('p', 'n1', { cpu: '7' }));
    const facts = { cluster, ledger: emptyLedger };
    const guide = settings({ role: 'guide' });
    expect(decideRound({ ...facts, typesAwaited: true }, at(noon), guide).commands).toEqual([]);
    expect(decideRound(facts, at(noon), guide).commands).toMatchObject([{ trial: true }]);
  });

  it('in guide nothing is offered for Karpenter to judge where all types are known', () => {
    const round = decide([web(), large(), pod('p', 'n1', { cpu: '7' })], read, { role: 'guide' });
    expect(round.commands).toEqual([]);
    expect(codes(round)).toEqual([['NotCheaper', false]]);
  });
});
