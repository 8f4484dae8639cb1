// Tests of `lull why NODE` with many pods under one rule.
import { describe, expect, it } from 'vitest';
import { runInMemory } from '../../../test/inMemory.ts';

const count = 40;
/** Drifted and Underutilized. */
const wishes = 2;

/** One drifted node with as many pods. */
const objectsWith = (podMetadata: object, ...more: object[]): string => {
  const labels = {
    'karpenter.sh/nodepool': 'web',
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
  };
  const conditions = [
    { type: 'Drifted', status: 'True', lastTransitionTime: '2026-11-16T08:00:00Z' },
    { type: 'Initialized', status: 'True', lastTransitionTime: '2026-11-01T08:00:00Z' },
  ];
  const pods = Array.from({ length: count }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `trainer-${index}`,
      namespace: 'ml',
      uid: `pod-${index}`,
      labels: { app: 'trainer' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'trainer', uid: 'rs', controller: true }],
      ...podMetadata,
    },
    spec: { nodeName: 'n1', containers: [{ name: 'main', resources: { requests: { cpu: '10m' } } }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  }));
  const objects = [
    { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'web' }, spec: {} },
    {
      ...{ apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim' },
      metadata: { name: 'n1-claim', labels, creationTimestamp: '2026-11-01T08:00:00Z' },
      status: { nodeName: 'n1', providerID: 'p1', conditions },
    },
    {
      ...{ apiVersion: 'v1', kind: 'Node' },
      metadata: { name: 'n1', labels, creationTimestamp: '2026-11-01T08:00:00Z' },
      spec: { providerID: 'p1' },
      status: {
        allocatable: { cpu: '8', memory: '32Gi', pods: '110' },
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-11-01T08:00:00Z' }],
      },
    },
    ...pods,
    ...more,
  ];
  return objects.map((object) => JSON.stringify(object)).join('\n');
};

const why = async (stdin: string, ...more: string[]) =>
  (await runInMemory(['why', 'n1', '-f', '-', '--at', '2026-11-17T10:20:00Z', ...more], { stdin, width: 120 })).stdout;

const schedule = {
  ...{ apiVersion: 'karpenter.sh/v1alpha1', kind: 'PodDisruptionSchedule', metadata: { name: 'nights' } },
  spec: { selector: { matchLabels: { app: 'trainer' } }, mode: 'Allow', schedule: '0 22 * * *', duration: '4h' },
};

describe('40 pods on a node', () => {
  it('under one PodDisruptionSchedule are one refusal and one entry', async () => {
    const stdin = objectsWith({}, schedule);
    const stdout = await why(stdin);
    expect(stdout.match(/^ {2}PodScheduleClosed/gm)).toHaveLength(wishes);
    expect(stdout).toMatch(/^ {2}PodScheduleClosed {2}each of 40 pods may be moved only/m);
    expect(stdout).toMatch(/^ {4}pods +ml\/trainer-0, ml\/trainer-1, ml\/trainer-10 and 37 more$/m);
    expect(stdout).toMatch(/^ {4}rule of +PodDisruptionSchedule nights$/m);
    expect(stdout).toMatch(
      /^ {2}ml\/trainer-0, ml\/trainer-1, ml\/trainer-10 and 37 more {2}held {2}each may be moved only/m,
    );
    expect(stdout).not.toContain('trainer-3 ');
  });

  it('under the same annotation are one entry too', async () => {
    const annotations = {
      'karpenter.sh/disruption-schedule': '0 22 * * *',
      'karpenter.sh/disruption-schedule-duration': '4h',
    };
    const stdout = await why(objectsWith({ annotations }));
    expect(stdout.match(/^ {2}PodScheduleClosed/gm)).toHaveLength(wishes);
    expect(stdout).toMatch(/^ {4}rule of +each of these pods \(its annotations\)$/m);
  });

  it('under one PodDisruptionBudget are one entry', async () => {
    const pdb = {
      ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'trainer', namespace: 'ml' } },
      spec: { selector: { matchLabels: { app: 'trainer' } }, maxUnavailable: 0 },
      status: { disruptionsAllowed: 0, currentHealthy: count, desiredHealthy: count, expectedPods: count },
    };
    const stdout = await why(objectsWith({}, pdb));
    expect(stdout.match(/^ {2}PdbSpent/gm)).toHaveLength(wishes);
    expect(stdout.match(/trainer-\d/g)?.length ?? 0).toBeLessThanOrEqual(3);
  });

  it('are all in JSON', async () => {
    const json = JSON.parse(await why(objectsWith({}, schedule), '-o', 'json'));
    expect(json.podsWithASay).toHaveLength(count);
    expect(json.wishes[0].refusals.filter(({ code }: { code: string }) => code === 'PodScheduleClosed')).toHaveLength(
      count,
    );
  });
});
