// Tests of the lint rules about invalid, unknown and outdated fields.
import { describe, expect, it } from 'vitest';
import { annotatedText, exampleOf, found, places, poolText } from '../../../test/fixtures/lintPolicy.ts';
import { applyEdits } from '../../kinds/edit/applyEdits.ts';
import { readDocuments } from '../../kinds/text/documents.ts';

describe('C8: fault', () => {
  it('finds its example, in the words of the reader', () => {
    expect(found('fault')).toEqual([
      {
        rule: 'fault',
        severity: 'error',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].duration',
        message: 'duration is set without schedule. Set both or neither.',
      },
    ]);
  });

  it('is a warning on pods and nodes, where rules go on to hold', () => {
    const pod =
      'apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {karpenter.sh/do-not-disrupt: sometimes}}\n';
    expect(places('fault', pod)).toEqual(['warning Pod/default/p metadata.annotations[karpenter.sh/do-not-disrupt]']);
  });

  it('finds two zones for one schedule', () => {
    const text = poolText('- {nodes: "0", schedule: "TZ=UTC 0 9 * * *", duration: 8h, timeZone: Europe/Berlin}');
    expect(places('fault', text)).toEqual(['warning NodePool/default spec.disruption.budgets[0].timeZone']);
  });

  it.each([
    { name: 'older spellings', text: poolText('- nodes: 5') },
    { name: 'empty lists, which have rules of their own', text: poolText('- {nodes: "1", reasons: []}') },
    { name: 'what can be read', text: poolText('- nodes: "5"') },
  ])('is silent about $name', ({ text }) => {
    expect(places('fault', text)).toEqual([]);
  });
});

describe('E13: schedules beyond a limit', () => {
  const schedule = 'karpenter.sh/disruption-schedule';
  const podText = (name: string, crons: readonly string[]): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'shop', name, annotations: { [schedule]: crons.join(';') } },
    });
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

  it('are a warning on each pod, and no other rule speaks of them', () => {
    const text = numbers(21)
      .map((pod) =>
        podText(
          `p${pod}`,
          numbers(50).map((i) => `${i} ${pod} 1 * *`),
        ),
      )
      .join('\n---\n');
    const warned = places('fault', text).filter((place) => place.endsWith(' metadata.annotations'));
    expect(warned).toHaveLength(21);
    expect(places('pod-schedule-never-opens', text)).toEqual([]);
  });

  it('are reported once by lint, with the number of pods not checked', () => {
    const text = numbers(300)
      .map((pod) => podText(`p${String(pod).padStart(3, '0')}`, [`${pod % 60} ${Math.floor(pod / 60)}-23 * * *`]))
      .join('\n---\n');
    const told = found('fault', text);
    expect(told).toHaveLength(1);
    expect(told[0]?.message).toMatch(/^There are too many different pod schedules .* \d+ pods are not checked/);
  });
});

describe('L1: given-twice', () => {
  const pool = (name: string): string => `apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: ${name}}\n`;

  it('finds its example', () => {
    expect(found('given-twice')).toEqual([
      {
        rule: 'given-twice',
        severity: 'info',
        object: 'NodePool/default',
        path: 'metadata.name',
        message: 'This object is also defined at policy.yaml:1. Only the last definition is used.',
      },
    ]);
  });

  it('finds an object that is given three times once', () => {
    expect(found('given-twice', [pool('a'), pool('a'), pool('a')].join('---\n'))[0]?.message).toBe(
      'This object is also defined at policy.yaml:1 and policy.yaml:5. Only the last definition is used.',
    );
  });

  it.each([
    { name: 'objects of different names', text: `${pool('a')}---\n${pool('b')}` },
    {
      name: 'pods of different namespaces',
      text: 'apiVersion: v1\nkind: Pod\nmetadata: {namespace: a, name: p}\n---\napiVersion: v1\nkind: Pod\nmetadata: {namespace: b, name: p}\n',
    },
    {
      name: 'kinds that Lull does not read',
      text: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n',
    },
  ])('is silent about $name', ({ text }) => {
    expect(places('given-twice', text)).toEqual([]);
  });
});

describe('note', () => {
  it('finds its example', () => {
    expect(found('note')).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[0].timeZone',
        message: 'timeZone has no effect without a schedule. Add a schedule, or remove it.',
      },
    ]);
  });

  it.each([
    { name: 'older spellings', text: poolText('- nodes: 5') },
    { name: 'fields that are nearly known', text: poolText('- {nodes: "5", reasns: [Drifted]}') },
    {
      name: 'a zone with a schedule',
      text: poolText('- {nodes: "0", schedule: "0 9 * * *", duration: 8h, timeZone: Asia/Tokyo}'),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places('note', text)).toEqual([]);
  });
});

describe('A7: old-kind', () => {
  const object = (apiVersion: string, kind: string): string =>
    `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: x}\n`;

  it('finds its example', () => {
    expect(found('old-kind')).toMatchObject([
      {
        severity: 'info',
        object: 'Provisioner/default',
        path: 'apiVersion',
        message:
          'Current Karpenter no longer serves Provisioner karpenter.sh/v1alpha5, only NodePool karpenter.sh/v1. Lull reads this object as one.',
      },
    ]);
  });

  it.each([
    ['karpenter.sh/v1beta1', 'NodePool'],
    ['karpenter.sh/v1beta1', 'NodeClaim'],
    ['karpenter.sh/v1beta1', 'Provisioner'],
  ])('finds %s %s', (apiVersion, kind) => {
    expect(places('old-kind', object(apiVersion, kind))).toEqual([`info ${kind}/x apiVersion`]);
  });

  it.each([
    ['karpenter.sh/v1', 'NodePool'],
    ['karpenter.sh/v1alpha1', 'MaintenanceWindow'],
    ['example.com/v1beta1', 'NodePool'],
    ['policy/v1beta1', 'PodDisruptionBudget'],
  ])('is silent about %s %s', (apiVersion, kind) => {
    expect(places('old-kind', object(apiVersion, kind))).toEqual([]);
  });
});

describe('C2: old-spelling', () => {
  /** The text after all fixes, as often as there are any. */
  function fixed(text: string): unknown {
    let now = text;
    for (let round = 0; round < 4; round++) {
      const groups = found('old-spelling', now).flatMap(({ fix }) => (fix ? [{ index: 0, edits: fix }] : []));
      now = applyEdits(now, groups).text;
    }
    const [document] = readDocuments(now, '').documents;
    return document?.object.spec;
  }

  it('finds its example', () => {
    expect(found('old-spelling').map(({ severity, path, message }) => `${severity} ${path}: ${message}`)).toEqual([
      'info spec.disruption.budgets[0].maxUnavailable: maxUnavailable is an old name. Write nodes instead.',
      'info spec.disruption.budgets[0].maxUnavailable: A number without quotes is an old spelling. Write "0" in quotes.',
      'info spec.disruption.budgets[0].crontab: crontab is an old name. Write schedule instead.',
      'info spec.disruption.budgets[1].maxUnavailable: maxUnavailable is an old name. Write nodes instead.',
      'info spec.disruption.budgets[1].maxUnavailable: A number without quotes is an old spelling. Write "10" in quotes.',
    ]);
  });

  it.each([
    {
      name: 'its example',
      text: exampleOf('old-spelling'),
      spec: { disruption: { budgets: [{ schedule: '0 9 * * mon-fri', duration: '8h', nodes: '0' }, { nodes: '10' }] } },
    },
    {
      name: 'a reason as text',
      text: poolText('- {nodes: 5, reason: drift}'),
      spec: { disruption: { budgets: [{ nodes: '5', reasons: ['Drifted'] }] } },
    },
    {
      name: 'reasons by their older names',
      text: poolText('- {nodes: "5", reasons: [drifted, consolidation]}'),
      spec: { disruption: { budgets: [{ nodes: '5', reasons: ['Drifted', 'Underutilized'] }] } },
    },
    {
      name: 'a single reason under the new name',
      text: poolText('- {nodes: "5", reasons: Empty}'),
      spec: { disruption: { budgets: [{ nodes: '5', reasons: ['Empty'] }] } },
    },
    {
      name: 'every minute, with a zone that was about it',
      text: poolText('- {nodes: "5", schedule: "* * * * *", timeZone: Europe/Berlin}'),
      spec: { disruption: { budgets: [{ nodes: '5' }] } },
    },
    {
      name: 'every minute by its older name, with a duration: that is a schedule',
      text: poolText('- {nodes: "5", crontab: "* * * * *", duration: 1h}'),
      spec: { disruption: { budgets: [{ nodes: '5', schedule: '* * * * *', duration: '1h' }] } },
    },
    {
      name: 'both names: the new one wins',
      text: poolText('- {nodes: "5", maxUnavailable: 3}'),
      spec: { disruption: { budgets: [{ nodes: '5' }] } },
    },
    {
      name: 'fields directly under spec',
      text: 'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\nspec:\n  consolidateAfter: 10m\n  disruption:\n    budgets:\n      - nodes: "5"\n',
      spec: { disruption: { budgets: [{ nodes: '5' }], consolidateAfter: '10m' } },
    },
  ])('writes what is certain: $name', ({ text, spec }) => {
    expect(fixed(text)).toEqual(spec);
  });

  it('writes nothing into the text of an annotation', () => {
    const [finding] = found('old-spelling', annotatedText('- nodes: 5'));
    expect(finding?.path).toBe('metadata.annotations[lull.dev/budgets][0].nodes');
    expect(finding?.fix).toBeUndefined();
  });

  it.each([
    { name: 'spellings of today', text: poolText('- {nodes: "5", reasons: [Drifted]}') },
    { name: 'a name that never was one', text: poolText('- {nodes: "5", minAvailable: 3}') },
  ])('is silent about $name', ({ text }) => {
    expect(places('old-spelling', text)).toEqual([]);
  });
});

describe('per-reason-blocks', () => {
  it('finds its example, and no other rule tells it again', () => {
    expect(found('per-reason-blocks')).toMatchObject([{ severity: 'warning', path: 'spec.disruption.drift' }]);
    expect(found('fault', exampleOf('per-reason-blocks'))).toEqual([]);
  });

  it('finds blocks beside a list', () => {
    const text = poolText('- nodes: "1"', 'defaults: {budgets: [{nodes: "5"}]}');
    expect(places('per-reason-blocks', text)).toEqual(['warning NodePool/default spec.disruption.defaults']);
  });

  it.each([
    { name: 'the fields there are', text: poolText('- nodes: "1"', 'consolidateAfter: 30s') },
    { name: 'a field of a Karpenter to come', text: poolText('- nodes: "1"', 'pacing: {perHour: 3}') },
  ])('is silent about $name', ({ text }) => {
    expect(places('per-reason-blocks', text)).toEqual([]);
  });
});

describe('L5: rejected-by-api', () => {
  const window = (spec: string) => `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: it}
spec: ${spec}
`;

  it('finds its example, and puts the number in quotes', () => {
    expect(found('rejected-by-api')).toEqual([
      {
        rule: 'rejected-by-api',
        severity: 'error',
        object: 'MaintenanceWindow/two-at-a-time',
        path: 'spec.nodes',
        message: 'The API server rejects 2 here: it must be a string, in quotes.',
        suggestion: 'Write "2" in quotes.',
        fix: [{ path: 'spec.nodes', set: '2' }],
      },
    ]);
  });

  it('finds an action that is named twice', () => {
    expect(places('rejected-by-api', window('{mode: Block, actions: [Drift, Drift]}'))).toEqual([
      'error MaintenanceWindow/it spec.actions',
    ]);
  });

  it.each([
    { name: 'what is a fault already', text: window('{mode: Sometimes}') },
    { name: 'what is admitted', text: window('{nodes: "2", schedules: [{cron: "@daily", duration: 1h}]}') },
    { name: "another maker's window", text: window('{nodes: 2}').replace('karpenter.sh', 'example.com') },
  ])('is silent about $name', ({ text }) => {
    expect(places('rejected-by-api', text)).toEqual([]);
  });
});

describe('K4: unknown-field', () => {
  const annotated = (budgets: string) => `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default, annotations: {lull.dev/budgets: ${JSON.stringify(budgets)}}}
`;
  const own = (kind: string, spec: string) => `apiVersion: karpenter.sh/v1alpha1
kind: ${kind}
metadata: {name: it}
spec: ${spec}
`;

  it('finds its example, and repairs it within the text', () => {
    expect(found('unknown-field')).toMatchObject([
      {
        severity: 'error',
        path: 'metadata.annotations[lull.dev/budgets][0].topologykey',
        message: 'Unknown field topologykey.',
        suggestion: 'Did you mean topologyKey?',
        fix: [
          {
            path: 'metadata.annotations[lull.dev/budgets]',
            set: '- nodes: "1"\n  reasons: [Drifted]\n  topologyKey: topology.kubernetes.io/zone\n',
          },
        ],
      },
    ]);
  });

  it.each([
    { name: 'a near miss in the spec', text: poolText('- {nodes: "1", topologykey: zone}'), fix: true },
    { name: 'a near miss of a field that is given too', text: poolText('- {nodes: "1", node: "2"}'), fix: false },
    { name: 'anything in the annotation', text: annotated('[{nodes: "1", comment: mine}]'), fix: false },
    {
      name: 'two entries with the same typo',
      text: annotated('[{node: "1"}, {nodes: "2", reason: [Drifted]}]'),
      fix: true,
    },
    { name: 'a window', text: own('MaintenanceWindow', '{nots: mine}'), fix: true },
    { name: 'the object of a window', text: own('MaintenanceWindow', '{}\nmetdata: {}'), fix: false },
    {
      name: 'a pod schedule',
      text: own('PodDisruptionSchedule', '{selector: {}, schedule: "@daily", zone: UTC}'),
      fix: false,
    },
  ])('finds $name', ({ text, fix }) => {
    const [finding, ...more] = found('unknown-field', text);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ severity: 'error' });
    expect(finding?.fix !== undefined).toBe(fix);
  });

  it.each([
    {
      name: 'a field of the spec nothing is like: Karpenter may know it',
      text: poolText('- {nodes: "1", comment: mine}'),
    },
    { name: 'fields that are known', text: poolText('- {nodes: "1", topologyKey: zone}') },
    {
      name: 'C2: older names',
      text: annotated('[{maxUnavailable: 1, crontab: "@daily", duration: 1h, reason: drift}]'),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places('unknown-field', text)).toEqual([]);
  });
});

describe('K4: unknown-key', () => {
  const pod = (name: string, annotations: string) => `apiVersion: v1
kind: Pod
metadata:
  namespace: shop
  name: ${name}
  annotations: ${annotations}
  ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: cart, controller: true}]
`;

  it('finds its example, and knows what was meant', () => {
    expect(found('unknown-key')).toEqual([
      {
        rule: 'unknown-key',
        severity: 'error',
        object: 'NodePool/default',
        path: 'metadata.annotations[lull.dev/budget]',
        message: 'Unknown annotation lull.dev/budget, which is ignored.',
        suggestion: 'Did you mean lull.dev/budgets?',
        fix: [{ path: 'metadata.annotations[lull.dev/budget]', rename: 'lull.dev/budgets' }],
      },
    ]);
  });

  it.each([
    {
      name: 'on a node',
      text: 'apiVersion: v1\nkind: Node\nmetadata: {name: n-1, annotations: {lull.dev/holds: mia}}\n',
      place: 'error Node/n-1 metadata.annotations[lull.dev/holds]',
    },
    {
      name: 'as a label of a node',
      text: 'apiVersion: v1\nkind: Node\nmetadata: {name: n-1, labels: {karpenter.sh/do-not-disrupt: "true"}}\n',
      place: 'error Node/n-1 metadata.labels[karpenter.sh/do-not-disrupt]',
    },
    {
      name: "in a pool's template",
      text: 'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec: {template: {metadata: {annotations: {karpenter.sh/do-not-disrup: "true"}}}}\n',
      place: 'error NodePool/p spec.template.metadata.annotations[karpenter.sh/do-not-disrup]',
    },
    {
      name: 'in the template of a CronJob',
      text: 'apiVersion: batch/v1\nkind: CronJob\nmetadata: {namespace: a, name: c}\nspec: {jobTemplate: {spec: {template: {metadata: {annotations: {lull.dev/x: "1"}}}}}}\n',
      place: 'error CronJob/a/c spec.jobTemplate.spec.template.metadata.annotations[lull.dev/x]',
    },
    {
      name: 'on the pods of one workload, once',
      text: `${pod('cart-0', '{karpenter.sh/disruption-schedul: "@daily"}')}---\n${pod('cart-1', '{karpenter.sh/disruption-schedul: "@daily"}')}`,
      place: 'error Pod/shop/cart-0 metadata.annotations[karpenter.sh/disruption-schedul]',
    },
  ])('finds it $name', ({ text, place }) => {
    expect(places('unknown-key', text)).toEqual([place]);
  });

  it('repairs nothing where the right key is given too', () => {
    const text = pod('cart-0', '{karpenter.sh/do-not-disrup: "1h", karpenter.sh/do-not-disrupt: "true"}');
    expect(found('unknown-key', text)).toMatchObject([{ severity: 'error' }]);
    expect(found('unknown-key', text)[0]?.fix).toBeUndefined();
  });

  it('is silent about marks of Lull and keys of others', () => {
    const text = pod(
      'cart-0',
      '{lull.dev/parked: "x", sim.lull.dev/runs: 1h, karpenter.sh/new: "x", example.com/a: b}',
    );
    expect(places('unknown-key', text)).toEqual([]);
  });
});

describe('K4: unknown-kind', () => {
  const of = (apiVersion: string, kind: string) => `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: it}\n`;

  it('finds its example', () => {
    expect(found('unknown-kind')).toEqual([
      {
        rule: 'unknown-kind',
        severity: 'error',
        object: 'Nodepool/default',
        path: 'kind',
        message: 'Unknown kind Nodepool in karpenter.sh/v1.',
        suggestion: 'kind: NodePool',
        fix: [{ path: 'kind', set: 'NodePool' }],
      },
    ]);
  });

  it.each([
    ['karpenter.sh/v1alhpa1', 'NodePool', 'apiVersion: karpenter.sh/v1'],
    ['karpenter.sh/v1beta2', 'NodePool', 'apiVersion: karpenter.sh/v1beta1'],
    ['karpenter.sh/v1', 'PodDisruptionSchedule', 'apiVersion: karpenter.sh/v1alpha1'],
    ['lull.dev/v1alpha1', 'MaintenanceWindow', 'apiVersion: karpenter.sh/v1alpha1'],
    ['karpeter.sh/v1', 'NodePool', 'apiVersion: karpenter.sh/v1'],
    ['karpenter.k8s.aws/v1', 'NodePool', 'apiVersion: karpenter.sh/v1'],
    ['v1', 'PodDisruptionBudget', 'apiVersion: policy/v1'],
    ['karpenter.sh/v1alpha1', 'maintenancewindow', 'kind: MaintenanceWindow'],
    ['karpenter.sh/v1alpha1', 'MaintenaceWindow', 'kind: MaintenanceWindow'],
    ['apps/v1', 'deployment', 'kind: Deployment'],
  ])('%s %s: %s', (apiVersion, kind, suggestion) => {
    expect(found('unknown-kind', of(apiVersion, kind))).toMatchObject([{ severity: 'error', suggestion }]);
  });

  it.each([
    ['karpenter.sh/v1beta1', 'NodePool'],
    ['karpenter.sh/v1alpha5', 'Provisioner'],
    ['karpenter.sh/v1alpha1', 'NodeOverlay'],
    ['hypershift.openshift.io/v1beta1', 'NodePool'],
    ['apps.kruise.io/v1alpha1', 'DaemonSet'],
    ['management.cattle.io/v3', 'Node'],
    ['example.com/v1', 'nodepool'],
    ['metrics.k8s.io/v1beta1', 'NodeMetrics'],
  ])('is silent about %s %s', (apiVersion, kind) => {
    expect(found('unknown-kind', of(apiVersion, kind))).toEqual([]);
  });
});
