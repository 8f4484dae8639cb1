// Tests of the lint rules about pod schedules.
import { describe, expect, it } from 'vitest';
import { exampleOf, found, places } from '../../../test/fixtures/lintPolicy.ts';

describe('E5: pod-schedule-never-opens', () => {
  const changed = (from: string, to: string): string => exampleOf('pod-schedule-never-opens').replace(from, to);

  it('finds its example', () => {
    expect(found('pod-schedule-never-opens')).toEqual([
      {
        rule: 'pod-schedule-never-opens',
        severity: 'warning',
        object: 'Pod/web/cart',
        path: 'metadata.annotations[karpenter.sh/disruption-schedule]',
        message:
          'Pod web/cart may never be moved: its windows (0 2 * * * for 2h and not 0 1 * * * for 4h) are never open together.',
        suggestion: 'Extend the windows in which it may be moved beyond those in which it may not.',
      },
    ]);
  });

  it('E6: finds a schedule that never fires, and says how never is written', () => {
    const [finding] = found('pod-schedule-never-opens', changed('0 2 * * *', '0 2 31 2 *'));
    expect(finding?.message).toBe('Pod web/cart may never be moved: its schedule never fires.');
    expect(finding?.suggestion).toContain('karpenter.sh/do-not-disrupt: "true"');
  });

  it('finds schedules from outside that never meet', () => {
    const schedule = (name: string, cron: string) =>
      `{apiVersion: karpenter.sh/v1alpha1, kind: PodDisruptionSchedule, metadata: {name: ${name}}, spec: {selector: {}, schedule: ${cron}, duration: 4h}}`;
    const pod = '{apiVersion: v1, kind: Pod, metadata: {namespace: web, name: cart}}';
    const text = [schedule('nights', '0 2 * * *'), schedule('days', '0 12 * * *'), pod].join('\n---\n');
    expect(places('pod-schedule-never-opens', text)).toEqual(['warning PodDisruptionSchedule/days spec.schedule']);
  });

  it.each([
    { name: 'a block that ends before', text: changed('block-duration: 4h', 'block-duration: 2h') },
    { name: 'windows that meet on some days alone', text: changed('0 1 * * *', '0 1 * * 1-6') },
    { name: 'a schedule that cannot be read and is ignored', text: changed('0 2 * * *', 'soon') },
    {
      name: 'an invalid PodDisruptionSchedule, which is reported as a fault',
      text: '{apiVersion: karpenter.sh/v1alpha1, kind: PodDisruptionSchedule, metadata: {name: x}, spec: {selector: {}, schedule: soon}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: a}}',
    },
  ])('is silent about $name', ({ text }) => {
    expect(places('pod-schedule-never-opens', text)).toEqual([]);
  });
});

describe('E12: pod-schedule-outside-pool-hours', () => {
  const example = exampleOf('pod-schedule-outside-pool-hours');
  const changed = (from: string, to: string): string => example.replace(from, to);

  it('finds its example', () => {
    expect(found('pod-schedule-outside-pool-hours')).toEqual([
      {
        rule: 'pod-schedule-outside-pool-hours',
        severity: 'warning',
        object: 'Pod/web/cart',
        path: 'metadata.annotations[karpenter.sh/disruption-schedule]',
        message:
          'Pod web/cart may be moved only in its windows (0 10 * * * for 2h), when the budgets and maintenance windows of default never allow disruption for Drifted, Expired and Underutilized.',
        suggestion: 'Give it a window in hours when default allows disruption.',
      },
    ]);
  });

  const window = `
---
apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: nights}
spec: {mode: Allow, actions: [Drift], schedules: [{cron: 0 22 * * *, duration: 6h}]}
`;
  const unlimited = changed('\n      - {nodes: "0", schedule: 0 8 * * *, duration: 10h}', '');

  it('includes maintenance windows and names the reasons they apply to', () => {
    expect(found('pod-schedule-outside-pool-hours', unlimited + window)[0]?.message).toMatch(
      /allow disruption for Drifted\.$/,
    );
  });

  it.each([
    { name: 'hours that meet', text: changed('0 10 * * *', '0 17 * * *') },
    { name: 'a freeze on weekdays alone', text: changed('schedule: 0 8 * * *', 'schedule: 0 8 * * 1-5') },
    {
      name: 'a pool that never opens: other rules say so',
      text: changed('{nodes: "0", schedule: 0 8 * * *, duration: 10h}', '{nodes: "0"}'),
    },
    { name: 'a pod that never may: another rule says so', text: changed('0 10 * * *', '0 10 31 2 *') },
    { name: 'no pool at all', text: example.slice(example.indexOf('---') + 4) },
  ])('is silent about $name', ({ text }) => {
    expect(places('pod-schedule-outside-pool-hours', text)).toEqual([]);
  });

  it('A2: with a terminationGracePeriod, drift and expiry do not wait for pods', () => {
    const text = changed('spec: {expireAfter: 720h}', 'spec: {expireAfter: 720h, terminationGracePeriod: 1h}');
    expect(found('pod-schedule-outside-pool-hours', text)[0]?.message).toMatch(/allow disruption for Underutilized\.$/);
  });
});

describe('E4: pod-schedule-rare', () => {
  const changed = (from: string, to: string): string => exampleOf('pod-schedule-rare').replace(from, to);

  it('finds its example', () => {
    expect(found('pod-schedule-rare')).toEqual([
      {
        rule: 'pod-schedule-rare',
        severity: 'info',
        object: 'Pod/erp/ledger',
        path: 'metadata.annotations[karpenter.sh/disruption-schedule]',
        message:
          'The node of pod erp/ledger has to wait up to 91 days for its window (0 2 1 */3 * for 4h). It opens next at 2027-01-01T02:00:00Z.',
        suggestion: 'Open the window at least once a month.',
      },
    ]);
  });

  it('counts how long it has been closed already', () => {
    const text = changed('0 2 1 */3 *', '0 2 1 1 *');
    expect(found('pod-schedule-rare', text, { at: '2026-12-31T00:00:00Z' })[0]?.message).toContain('up to 364 days');
  });

  it.each([
    { name: 'once a month', text: changed('0 2 1 */3 *', '0 2 1 * *') },
    { name: 'once a week', text: changed('0 2 1 */3 *', '0 2 * * 6') },
    { name: 'always', text: changed('0 2 1 */3 *', '"* * * * *"') },
    { name: 'never: another rule says so', text: changed('0 2 1 */3 *', '0 2 31 2 *') },
  ])('is silent about $name', ({ text }) => {
    expect(places('pod-schedule-rare', text)).toEqual([]);
  });
});

describe('E7: pod-schedule-selects-nothing', () => {
  const example = exampleOf('pod-schedule-selects-nothing');
  const changed = (from: string, to: string): string => example.replace(from, to);

  it('finds its example, and the label that was meant', () => {
    expect(found('pod-schedule-selects-nothing')).toEqual([
      {
        rule: 'pod-schedule-selects-nothing',
        severity: 'warning',
        object: 'PodDisruptionSchedule/training',
        path: 'spec.selector',
        message: 'It selects none of the pods in the input (1 pod): it has no effect.',
        suggestion: 'Did you mean the label app?',
      },
    ]);
  });

  it('finds a value in another case', () => {
    expect(found('pod-schedule-selects-nothing', changed('App: training', 'app: Training'))[0]?.suggestion).toBe(
      'Did you mean the value training of app?',
    );
  });

  it.each([
    { name: 'a schedule that selects a pod', text: changed('App', 'app') },
    { name: 'a schedule for every pod', text: changed('{matchLabels: {App: training}}', '{}') },
    { name: 'input without pods', text: example.slice(0, example.indexOf('---')) },
    { name: 'a schedule with a fault', text: changed('schedule: 0 2 * * 6', 'schedule: soon') },
  ])('is silent about $name', ({ text }) => {
    expect(places('pod-schedule-selects-nothing', text)).toEqual([]);
  });
});

describe('E4: pod-schedule-shorter-than-grace', () => {
  const changed = (from: string, to: string): string => exampleOf('pod-schedule-shorter-than-grace').replace(from, to);

  it('finds its example', () => {
    expect(found('pod-schedule-shorter-than-grace')).toEqual([
      {
        rule: 'pod-schedule-shorter-than-grace',
        severity: 'warning',
        object: 'Pod/ml/trainer',
        path: 'metadata.annotations[karpenter.sh/disruption-schedule]',
        message:
          'Pod ml/trainer may be moved only in windows of at most 30m (0 2 * * 6 for 30m), but may take 2h to terminate: it can still be terminating after its window has closed.',
        suggestion: 'Make the windows at least 2h long, or terminationGracePeriodSeconds at most 1800.',
      },
    ]);
  });

  it('counts the default of an hour', () => {
    const text = changed('    karpenter.sh/disruption-schedule-duration: 30m\n', '');
    expect(found('pod-schedule-shorter-than-grace', text)[0]?.message).toContain('windows of at most 1h');
  });

  it('names a PodDisruptionSchedule, and replicas once', () => {
    const pod = (name: string) =>
      `{apiVersion: v1, kind: Pod, metadata: {namespace: ml, name: ${name}, labels: {app: ml}, ownerReferences: [{kind: ReplicaSet, name: trainer, uid: "1", controller: true}]}, spec: {terminationGracePeriodSeconds: 7200}}`;
    const text = `
apiVersion: karpenter.sh/v1alpha1
kind: PodDisruptionSchedule
metadata: {name: weekly}
spec: {selector: {matchLabels: {app: ml}}, schedule: 0 2 * * 6, duration: 30m}
---
${pod('a')}
---
${pod('b')}
`;
    const [finding, ...others] = found('pod-schedule-shorter-than-grace', text);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ object: 'PodDisruptionSchedule/weekly', path: 'spec.schedule' });
    expect(finding?.message).toContain('Pod ml/a and 1 more pod of ReplicaSet trainer');
  });

  it.each([
    { name: 'a window just as long', text: changed('duration: 30m', 'duration: 2h') },
    { name: 'hits that run into each other', text: changed('0 2 * * 6', '"*/30 2-5 * * 6"') },
    { name: 'the usual half minute', text: changed('7200', '30') },
    {
      name: 'a block window, whose rest is long',
      text: changed('disruption-schedule: 0 2 * * 6', 'disruption-block-schedule: 0 2 * * 6').replace(
        'disruption-schedule-duration: 30m',
        'disruption-block-duration: 4h',
      ),
    },
    { name: 'a schedule that never opens', text: changed('0 2 * * 6', '0 2 30 2 *') },
    {
      name: 'a pod that has ended',
      text: `${exampleOf('pod-schedule-shorter-than-grace')}status: {phase: Succeeded}\n`,
    },
  ])('is silent about $name', ({ text }) => {
    expect(places('pod-schedule-shorter-than-grace', text)).toEqual([]);
  });
});

describe('E12: pod-schedules-never-meet', () => {
  const changed = (from: string, to: string): string => exampleOf('pod-schedules-never-meet').replace(from, to);

  it('finds its example, with the pods and their windows', () => {
    expect(found('pod-schedules-never-meet')).toEqual([
      {
        rule: 'pod-schedules-never-meet',
        severity: 'warning',
        object: 'Pod/data/etl',
        path: 'metadata.annotations[karpenter.sh/disruption-schedule]',
        message:
          'These pods on one node may never be moved at the same time, so the node can never be disrupted: data/etl (0 2 * * 0 for 4h); web/cart (0 2 * * 6 for 4h). This affects 1 node: n-1.',
        suggestion: 'Give the pods a common window, or keep them on different nodes.',
      },
    ]);
  });

  const pod = (node: string, name: string, cron: string): string =>
    `{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: ${name}, annotations: {karpenter.sh/disruption-schedule: "${cron}", karpenter.sh/disruption-schedule-duration: 4h}}, spec: {nodeName: ${node}}}`;
  const node = (name: string): string =>
    `{apiVersion: v1, kind: Node, metadata: {name: ${name}}}\n---\n{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: ${name}}, status: {nodeName: ${name}}}`;

  it('names of three pods the two that quarrel', () => {
    const pods = [
      pod('n-1', 'daily', '0 2 * * *'),
      pod('n-1', 'saturday', '0 2 * * 6'),
      pod('n-1', 'sunday', '0 2 * * 0'),
    ];
    const [finding] = found('pod-schedules-never-meet', [node('n-1'), ...pods].join('\n---\n'));
    expect(finding?.message).toContain('a/sunday (0 2 * * 0 for 4h); a/saturday (0 2 * * 6 for 4h).');
  });

  it('names all where only all together never meet', () => {
    const pods = [pod('n-1', 'x', '0 2 * * 1-2'), pod('n-1', 'y', '0 2 * * 2-3'), pod('n-1', 'z', '0 2 * * 1,3')];
    const [finding] = found('pod-schedules-never-meet', [node('n-1'), ...pods].join('\n---\n'));
    expect(finding?.message.match(/ for 4h/g)).toHaveLength(3);
  });

  it('reports the same conflict on several nodes once', () => {
    const on = (name: string) => [node(name), pod(name, `${name}-x`, '0 2 * * 6'), pod(name, `${name}-y`, '0 2 * * 0')];
    const findings = found('pod-schedules-never-meet', [...on('n-1'), ...on('n-2')].join('\n---\n'));
    expect(findings.map(({ message }) => message.split('. ').at(-1))).toEqual(['This affects 2 nodes: n-1 and n-2.']);
  });

  it.each([
    { name: 'windows that meet once a week', text: changed('0 2 * * 0,', '0 4 * * *,') },
    { name: 'pods on different nodes', text: changed('spec: {nodeName: n-1}', 'spec: {nodeName: n-2}') },
    { name: 'a node that is not managed', text: changed('status: {nodeName: n-1}', 'status: {nodeName: n-3}') },
    { name: 'a pod that never may: another rule says so', text: changed('0 2 * * 0,', '0 2 31 2 *,') },
    {
      name: 'a pod that opts out altogether',
      text: changed('karpenter.sh/disruption-schedule: 0 2 * * 0,', 'karpenter.sh/do-not-disrupt: "true",'),
    },
  ])('is silent about $name', ({ text }) => {
    expect(text).not.toBe(exampleOf('pod-schedules-never-meet'));
    expect(places('pod-schedules-never-meet', text)).toEqual([]);
  });
});
