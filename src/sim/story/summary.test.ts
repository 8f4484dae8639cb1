// The figures of a simulation.
import { describe, expect, it } from 'vitest';
import { command, node, openStage, start } from '../../../test/sim/storyStage.ts';
import { hour, minute } from '../../time/instant.ts';
import type { KubeObject } from '../kubeObject.ts';
import { collectSummary } from './summary.ts';

const pool = (budgets: readonly object[]): KubeObject => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'web' },
  spec: { disruption: { budgets }, template: { metadata: { labels: { image: 'v1' } } } },
});

const instanceTypes = new Map([['m', { cpu: '4', memory: '16Gi', price: 0.2 }]]);

function setTheStage(budgets: readonly object[] = []) {
  const stage = openStage();
  stage.objects.create(pool(budgets), 'test');
  for (const [name, zone] of [
    ['web-1', 'a'],
    ['web-2', 'a'],
    ['web-3', 'b'],
  ])
    stage.objects.create(node(name as string, zone, { 'node.kubernetes.io/instance-type': 'm' }), 'test');
  const keeper = collectSummary({ ...stage, instanceTypes }, start);
  stage.story.onEvent((event) => keeper.note(event));
  return { ...stage, keeper };
}

describe('The summary', () => {
  it('counts the nodes that Lull disrupted, by pool, and not those that others deleted', () => {
    const { objects, keeper, writeLedger } = setTheStage();
    writeLedger([command('c1', 'web-1')]);
    objects.delete('Node', 'web-1', 'karpenter');
    objects.delete('Node', 'web-3', 'script');
    expect(keeper.summary()).toMatchObject({ rolled: { web: 1 }, released: 0, podsMoved: 0 });
  });

  it('counts released nodes', () => {
    const { keeper, writeLedger } = setTheStage();
    writeLedger([command('c1', 'web-1')]);
    writeLedger([command('c1', 'web-1', { step: 'released' })]);
    expect(keeper.summary()).toMatchObject({ rolled: {}, released: 1 });
  });

  it('measures the longest wait from the wish: for drift, from the change of the template', () => {
    const { objects, keeper, writeLedger, until } = setTheStage();
    until(minute);
    objects.write('NodePool', 'web', 'script', (it) => ({
      ...it,
      spec: { template: { metadata: { labels: { image: 'v2' } } } },
    }));
    until(hour);
    writeLedger([command('c1', 'web-1'), command('c2', 'web-2', { reason: 'Expired' })]);
    until(hour + minute);
    objects.delete('Node', 'web-1', 'karpenter');
    objects.delete('Node', 'web-2', 'karpenter');
    expect(keeper.summary().longestWait).toEqual({ node: 'web-1', reason: 'Drifted', waited: hour });
  });

  it('has the hourly cost at the start and at the end, if all prices are known', () => {
    const { objects, keeper } = setTheStage();
    objects.delete('Node', 'web-1', 'karpenter');
    expect(keeper.summary().hourly).toEqual({ from: 0.6, to: 0.4 });
    objects.create(node('odd', 'a', { 'node.kubernetes.io/instance-type': 'unheard-of' }), 'test');
    expect(keeper.summary().hourly).toBeUndefined();
  });

  it.each<{ name: string; budgets: object[]; peaks: object[] }>([
    {
      name: 'without a budget there is no limit',
      budgets: [],
      peaks: [
        { pool: 'web', nodes: 2 },
        { pool: 'web', domain: 'a', nodes: 2 },
      ],
    },
    {
      name: 'a percentage is rounded up',
      budgets: [{ nodes: '50%' }],
      peaks: [
        { pool: 'web', nodes: 2, limit: 2 },
        { pool: 'web', domain: 'a', nodes: 2 },
      ],
    },
    {
      name: 'C5: a budget that names the reason takes precedence over one that names none',
      budgets: [{ nodes: '5' }, { nodes: '3', reasons: ['Drifted'] }, { nodes: '1', reasons: ['Empty'] }],
      peaks: [
        { pool: 'web', nodes: 2, limit: 3 },
        { pool: 'web', domain: 'a', nodes: 2 },
      ],
    },
    {
      name: 'C9: a budget of domains is theirs alone',
      budgets: [{ nodes: '1', topologyKey: 'topology.kubernetes.io/zone' }],
      peaks: [
        { pool: 'web', nodes: 2 },
        { pool: 'web', domain: 'a', nodes: 2, limit: 1 },
      ],
    },
  ])('remembers the most at once, and the limit then: $name', ({ budgets, peaks }) => {
    const { keeper, writeLedger } = setTheStage(budgets);
    writeLedger([command('c1', 'web-1'), command('c2', 'web-2')]);
    writeLedger([command('c2', 'web-2')]);
    expect(keeper.summary().peaks).toEqual(peaks);
  });
});
