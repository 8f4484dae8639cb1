import { describe, expect, it } from 'vitest';
import {
  codesOf,
  decide,
  longAgo,
  machine,
  type Objects,
  type Plain,
  pdb,
  pod,
  pool,
  refusalOf,
  startsOf,
} from '../../../test/build.ts';

const pods = 250;
const wide = pool('web', { budgets: [{ nodes: '100%' }] });

/** An anti-affinity term that selects all pods, with a topology key of its own. */
const broad = (i: number): Plain => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: `rack-${i}`, namespaceSelector: {}, labelSelector: {} },
      ],
    },
  },
});

const crowd = (count = pods, node = 'n1'): Objects =>
  Array.from({ length: count }, (_, i) => pod(`p-${i}`, node, { namespace: 'tenant', spec: broad(i) }));

const manyBudgets = Array.from({ length: 200 }, (_, i) =>
  pdb(`b-${i}`, 1, { selector: { matchExpressions: [{ key: `no-${i}`, operator: 'DoesNotExist' }] } }),
);
const plain = Array.from({ length: 150 }, (_, i) => pod(`p-${i}`, 'n1'));

const drifted = (name: string, more: Plain = {}): Objects => machine(name, { drifted: longAgo, ...more });
const roomy = { allocatable: { cpu: '64', memory: '256Gi', pods: '500' } };

describe('F6: a node with pods of a namespace that has too many terms', () => {
  const round = decide([wide, drifted('n1', roomy), drifted('n2'), pod('web', 'n2'), crowd()]);

  it('is held, with the cause and what to do', () => {
    const refusal = refusalOf(round, 'n1', 'Drifted', 'NamespaceCrowded');
    expect(refusal.message).toContain(`pod tenant/p-0 and ${pods - 1} more in its namespace cannot be evaluated`);
    expect(refusal.message).toContain('distinct affinity terms');
    expect(refusal.help).toContain('same terms for all pods');
    expect(refusal.owner).toEqual({ kind: 'Pod', namespace: 'tenant', name: 'p-0' });
  });

  it('does not hold other nodes', () => {
    expect(startsOf(round)).toEqual(['n2 Drifted']);
  });

  it('causes one warning for the namespace', () => {
    const warnings = round.faults.filter(({ object }) => object === 'Namespace/tenant');
    expect(warnings.map(({ path, severity }) => `${severity} ${path}`)).toEqual(['warning pods[*].spec.affinity']);
  });

  it.each([
    { it: 'repair', node: machine('n1', { ready: 'False', ...roomy }), reason: 'Unhealthy' as const },
    {
      it: 'an eventual reason whose claim has a terminationGracePeriod',
      node: drifted('n1', { claim: { spec: { terminationGracePeriod: '1h' } }, ...roomy }),
      reason: 'Drifted' as const,
    },
  ])('is not held by it for $it', ({ node, reason }) => {
    const others = ['n2', 'n3', 'n4', 'n5'].map((name) => machine(name, roomy));
    expect(codesOf(decide([wide, node, others, crowd()]), 'n1', reason)).not.toContain('NamespaceCrowded');
  });

  it('is not held for a pod of that namespace without terms', () => {
    const objects = [wide, drifted('n1', roomy), drifted('n2'), crowd(), pod('calm', 'n2', { namespace: 'tenant' })];
    expect(startsOf(decide(objects))).toEqual(['n2 Drifted']);
  });
});

describe('E10: a node with pods of a namespace that has too many PodDisruptionBudgets', () => {
  const round = decide([
    wide,
    drifted('n1', roomy),
    drifted('n2'),
    pod('web', 'n2', { namespace: 'other' }),
    plain,
    manyBudgets,
  ]);

  it('is held, with the cause; other nodes are not', () => {
    expect(codesOf(round, 'n1', 'Drifted')).toEqual(['NamespaceCrowded']);
    expect(refusalOf(round, 'n1', 'Drifted', 'NamespaceCrowded').message).toContain('PodDisruptionBudgets');
    expect(startsOf(round)).toEqual(['n2 Drifted']);
  });
});

describe('F6: on a node that runs a pod which cannot be evaluated', () => {
  const apartFrom = (app: string, topologyKey: string): Plain => ({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            topologyKey,
            namespaceSelector: {},
            labelSelector: { matchLabels: { app }, matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] },
          },
        ],
      },
    },
  });
  const hostname = 'kubernetes.io/hostname';
  const settings = { role: 'drive' };
  const full = { allocatable: { ...roomy.allocatable, pods: String(pods) } };
  /** n1 can be emptied onto n2, where a crowded pod runs. */
  const movesTo = (app: string): readonly string[] => {
    const guard = pod('guard', 'n2', { namespace: 'tenant', spec: apartFrom('web', hostname) });
    const round = decide(
      [
        wide,
        drifted('n1'),
        machine('n2', roomy),
        machine('n9', full),
        pod('it', 'n1', { labels: { app } }),
        guard,
        crowd(pods, 'n9'),
      ],
      { settings },
    );
    return round.commands.flatMap(({ promisedTo }) => promisedTo);
  };

  it('no pod is placed that a term of that pod might forbid; others are', () => {
    expect({ web: movesTo('web').includes('n2'), api: movesTo('api').includes('n2') }).toEqual({
      web: false,
      api: true,
    });
  });
});
