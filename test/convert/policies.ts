// Policies as people have them: pools, Provisioners, windows and pods in old and current spellings, valid and invalid.
import fc from 'fast-check';

type Fields = Record<string, unknown>;

/** A record of which any field may be absent. */
const some = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Fields> =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Fields>;

const oneIn = <T>(n: number, rare: fc.Arbitrary<T>, usual: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 1, arbitrary: rare }, { weight: n - 1, arbitrary: usual });

const nodes = oneIn<unknown>(
  12,
  fc.constantFrom<unknown>(-1, 1.5, 'many', null, '101%'),
  fc.constantFrom<unknown>(0, 1, 2, 10, '0', '1', '2', '10%', '50%', '100%'),
);
const reason = oneIn(
  12,
  fc.constantFrom('interrupted', 'other', ''),
  fc.constantFrom(
    'Drifted',
    'drifted',
    'drift',
    'DRIFT',
    'Empty',
    'empty',
    'underutilized',
    'consolidation',
    'Expired',
    'expiration',
    'Unhealthy',
    'rebalance',
  ),
);
const reasons = fc.oneof(reason, fc.array(reason, { maxLength: 3 }));
const schedule = fc.constantFrom<unknown>(
  '* * * * *',
  '* * * * *',
  '0 9 * * mon-fri',
  '@daily',
  '0 0 * * 6-7',
  '0 0 * * sat#1',
  '0 0 L 1 *',
  null,
);
const duration = fc.constantFrom<unknown>('8h', '8h', '1h30m', '24h', '30s', null);

const budgetFields: Record<string, fc.Arbitrary<unknown>> = {
  nodes,
  maxUnavailable: nodes,
  reasons,
  reason: reasons,
  schedule,
  crontab: schedule,
  duration,
  timeZone: fc.constantFrom('Europe/Berlin', 'UTC'),
  topologyKey: fc.constant('topology.kubernetes.io/zone'),
  sequential: fc.boolean(),
};

/** A budget with all fields at once would be unrealistic. */
const budget: fc.Arbitrary<Fields> = fc
  .subarray(Object.entries(budgetFields), { maxLength: 5 })
  .chain((chosen) => fc.record(Object.fromEntries(chosen)));

const budgets = fc.array(budget, { maxLength: 3 });
const policy = oneIn(
  10,
  fc.constant('WhenTired'),
  fc.constantFrom('WhenEmpty', 'WhenUnderutilized', 'WhenEmptyOrUnderutilized', 'Balanced'),
);
const after = oneIn<unknown>(
  10,
  fc.constantFrom<unknown>('soon', 5, null),
  fc.constantFrom('0s', '10m', '1h', 'Never'),
);
const lifetime = fc.constantFrom<unknown>('24h', '240h', '720h', 'Never');

const requirements = fc.constant([{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }]);
const taints = fc.constant([{ key: 'dedicated', value: 'web', effect: 'NoSchedule' }]);
const labels = fc.constantFrom({ team: 'web' }, {});
const reference = some({
  name: fc.constant('default'),
  kind: fc.constantFrom('EC2NodeClass', 'AWSNodeTemplate', 'AKSNodeClass'),
  apiVersion: fc.constantFrom('karpenter.k8s.aws/v1beta1', 'v1'),
  group: fc.constant('karpenter.k8s.aws'),
});
const kubelet = fc.constant({ maxPods: 20 });

const block = some({ budgets, disruptAfter: lifetime, consolidationPolicy: policy, consolidateAfter: after });
const blocks = fc.dictionary(
  fc.constantFrom('defaults', 'consolidation', 'drift', 'drifted', 'expiration', 'empty', 'unhealthy'),
  block,
  { maxKeys: 3 },
);

const disruption = fc
  .tuple(
    some({ budgets, consolidationPolicy: policy, consolidateAfter: after, expireAfter: lifetime, repairAfter: after }),
    oneIn(5, blocks, fc.constant<Fields>({})),
  )
  .map(([fields, byReason]) => ({ ...fields, ...byReason }));

const annotation = fc
  .tuple(budgets, fc.boolean())
  .map(([list, json]) =>
    json ? JSON.stringify(list) : list.map((each) => `# of the team\n- ${JSON.stringify(each)}\n`).join('') || '[]',
  );
const annotations = oneIn(
  4,
  annotation.map((text): Fields => ({ 'lull.dev/budgets': text })),
  fc.constant<Fields>({}),
);

const named = (name: string): fc.Arbitrary<Fields> =>
  annotations.map((given) => (Object.keys(given).length > 0 ? { name, annotations: given } : { name }));

const nodePool = fc.record({
  apiVersion: fc.constantFrom('karpenter.sh/v1', 'karpenter.sh/v1beta1'),
  kind: fc.constant('NodePool'),
  metadata: named('default'),
  spec: some({
    disruption,
    consolidationPolicy: policy,
    consolidateAfter: after,
    template: some({
      metadata: some({ labels }),
      spec: some({ requirements, taints, nodeClassRef: reference, kubelet, expireAfter: lifetime }),
    }),
    limits: fc.constant({ cpu: '1000' }),
    weight: fc.nat(100),
  }),
});

const nodeFields = {
  requirements,
  taints,
  startupTaints: taints,
  providerRef: reference,
  kubeletConfiguration: kubelet,
  terminationGracePeriod: fc.constant('1h'),
};
const seconds = oneIn<unknown>(10, fc.constantFrom<unknown>(-1, '30', null), fc.constantFrom(0, 30, 90, 2592000));

const provisioner = fc.record({
  apiVersion: fc.constantFrom('karpenter.sh/v1alpha5', 'karpenter.sh/v1beta1'),
  kind: fc.constant('Provisioner'),
  metadata: named('default'),
  spec: some({
    ...nodeFields,
    labels,
    annotations: labels,
    ttlSecondsAfterEmpty: seconds,
    ttlSecondsUntilExpired: seconds,
    ttlAfterCreated: fc.constantFrom('1d', '1d12h', '240h', 'Never'),
    ttlAfterNotReady: fc.constantFrom('30m', 'Never'),
    consolidation: some({ enabled: fc.boolean() }),
    limits: some({
      resources: some({ cpu: fc.constantFrom<unknown>('1000', 1000), memory: fc.constant('100Gi') }),
      cpu: fc.constant('4'),
    }),
    weight: fc.nat(100),
    disruption: oneIn(3, disruption, some({ budgets })),
    template: oneIn(
      3,
      some({ ...nodeFields, labels, metadata: some({ labels }), spec: some(nodeFields) }),
      fc.constant({}),
    ),
  }),
});

/** Pods on the nodes of world.ts. */
const pod = fc.record({
  apiVersion: fc.constant('v1'),
  kind: fc.constant('Pod'),
  metadata: fc.record({
    namespace: fc.constant('web'),
    name: fc.constant('own'),
    annotations: some({
      'karpenter.sh/do-not-evict': fc.constantFrom<unknown>('true', 'true', 'false', '8h', true, null),
      'karpenter.sh/do-not-disrupt': fc.constantFrom<unknown>('true', '8h', 'maybe', true),
      'karpenter.sh/do-not-disrupt-reasons': fc.constantFrom('drift,empty', 'Drifted', 'underutilized , other'),
      'lull.dev/parked': fc.constant('2026-03-01T00:00:00Z'),
    }),
  }),
  spec: fc.constant({ nodeName: 'n-1' }),
  status: fc.constant({ phase: 'Running', startTime: '2026-03-11T00:00:00Z' }),
});

const window = fc.record({
  apiVersion: fc.constantFrom('karpenter.sh/v1alpha1', 'karpenter.sh/v1'),
  kind: fc.constant('MaintenanceWindow'),
  metadata: fc.constant({ name: 'nights' }),
  spec: fc.record({
    schedules: fc.constant([{ cron: '0 9 * * *', duration: '8h' }]),
    selector: fc.record({
      matchExpressions: fc.array(
        fc.record({
          key: fc.constantFrom('karpenter.sh/provisioner-name', 'karpenter.sh/nodepool'),
          operator: fc.constant('In'),
          values: fc.constant(['default']),
        }),
        { maxLength: 1 },
      ),
    }),
  }),
});

const podSchedule = fc.record({
  apiVersion: fc.constantFrom('karpenter.sh/v1alpha1', 'karpenter.sh/v1'),
  kind: fc.constant('PodDisruptionSchedule'),
  metadata: fc.constant({ name: 'web' }),
  spec: fc.constant({ selector: { matchLabels: {} }, schedule: '0 2 * * 6', duration: '4h' }),
});

/** A pool, with other objects beside it. */
export const policies: fc.Arbitrary<unknown[]> = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: nodePool as fc.Arbitrary<unknown> },
      { weight: 2, arbitrary: provisioner as fc.Arbitrary<unknown> },
    ),
    fc.option(pod, { nil: undefined }),
    fc.option(window, { nil: undefined }),
    fc.option(podSchedule, { nil: undefined }),
  )
  .map((objects) => objects.filter((object) => object !== undefined));
