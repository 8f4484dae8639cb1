// Tests of lint rules on the pod templates of workloads.
import { describe, expect, it } from 'vitest';
import { policyOf } from '../../test/fixtures/lintPolicy.ts';
import { lint } from './runRules.ts';

/** Annotations as a flow map. */
type Annotations = string;
const schedule = (cron: string): Annotations => `karpenter.sh/disruption-schedule: "${cron}"`;
const yearly = schedule('0 2 1 1 *');
const optOut = 'karpenter.sh/do-not-disrupt: "true"';

const workload = (kind: string, annotations: Annotations, { namespace = 'shop', spec = '' } = {}): string => {
  const template = `{metadata: {labels: {app: web}, annotations: {${annotations}}}, spec: {}}`;
  const group = kind.endsWith('Job') ? 'batch' : 'apps';
  const within = kind === 'CronJob' ? `jobTemplate: {spec: {template: ${template}}}` : `template: ${template}`;
  return `apiVersion: ${group}/v1\nkind: ${kind}\nmetadata: {namespace: ${namespace}, name: web}\nspec:\n  ${within}\n${spec}---\n`;
};

const pod = (name: string, owner: string, annotations: Annotations): string =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  namespace: shop\n  name: ${name}\n  labels: {app: web, pod-template-hash: abc}\n  annotations: {${annotations}}\n  ownerReferences: [${owner}]\nspec: {}\n---\n`;
const byReplicaSet = '{kind: ReplicaSet, name: web-abc, controller: true}';

const told = (text: string): string[] =>
  lint(policyOf(text)).map(
    ({ rule, object, path, position }) => `${rule} ${object} ${path} at ${position?.line ?? 'no line'}`,
  );

const scheduleAt = (within: string): string => `${within}.metadata.annotations[karpenter.sh/disruption-schedule]`;
const optOutAt = (within: string): string => `${within}.metadata.annotations[karpenter.sh/do-not-disrupt]`;

describe('E: the annotations of a pod template', () => {
  it.each([
    { kind: 'Deployment', within: 'spec.template' },
    { kind: 'StatefulSet', within: 'spec.template' },
    { kind: 'Job', within: 'spec.template' },
    { kind: 'CronJob', within: 'spec.jobTemplate.spec.template' },
  ])('$kind', ({ kind, within }) => {
    const object = `${kind}/shop/web`;
    expect(told(workload(kind, schedule('often')))).toEqual([`fault ${object} ${scheduleAt(within)} at 5`]);
    expect(told(workload(kind, `${yearly}, karpenter.sh/disruption-schedule-timezone: UTC`))).toEqual([
      `pod-schedule-rare ${object} ${scheduleAt(within)} at 5`,
    ]);
    expect(told(workload(kind, `${schedule('0 2 * * *')}, ${optOut}`))).toContain(
      `pod-opt-out-and-schedule ${object} ${optOutAt(within)} at 5`,
    );
    expect(told(workload(kind, schedule('0 2 13 * fri')))).toEqual([
      `schedule-either-day ${object} ${scheduleAt(within)} at 5`,
    ]);
  });

  it('DaemonSet: it holds every node', () => {
    expect(told(workload('DaemonSet', optOut))).toEqual([
      `pod-opt-out-on-daemonset DaemonSet/shop/web ${optOutAt('spec.template')} at 5`,
    ]);
  });

  it('names the workload', () => {
    const [finding] = lint(policyOf(workload('Deployment', yearly))).filter(({ rule }) => rule === 'pod-schedule-rare');
    expect(finding?.message).toMatch(/^The node of a pod of Deployment shop\/web has to wait up to \d+ days/);
  });

  it('distinguishes workloads of one name by namespace', () => {
    const bad = schedule('often');
    const text = workload('Deployment', bad) + workload('Deployment', bad, { namespace: 'other' });
    expect(told(text)).toEqual([
      `fault Deployment/shop/web ${scheduleAt('spec.template')} at 5`,
      `fault Deployment/other/web ${scheduleAt('spec.template')} at 11`,
    ]);
  });

  it.each([
    {
      name: 'a kind of another API group',
      text: workload('Deployment', schedule('often')).replace('apps/', 'other.io/'),
    },
    { name: 'no template', text: workload('Deployment', '').replace(/template: .*/, 'template: 5') },
    { name: 'no rules', text: workload('Deployment', 'note: x') },
  ])('is silent about $name', ({ text }) => {
    expect(told(text)).toEqual([]);
  });
});

describe('E: a template and its pods', () => {
  const zoned = `${yearly}, karpenter.sh/disruption-schedule-timezone: UTC`;

  it.each([
    { name: 'a schedule', annotations: zoned, rule: 'pod-schedule-rare' },
    { name: 'a fault', annotations: schedule('often'), rule: 'fault' },
  ])('with the same annotations are reported once, at the template: $name', ({ annotations, rule }) => {
    const pods = ['web-abc-1', 'web-abc-2'].map((name) => pod(name, byReplicaSet, annotations)).join('');
    expect(told(pods + workload('Deployment', annotations))).toEqual([
      `${rule} Deployment/shop/web ${scheduleAt('spec.template')} at 25`,
    ]);
  });

  it('are reported separately if a pod differs', () => {
    const text = workload('Deployment', 'note: x') + pod('web-abc-1', byReplicaSet, zoned);
    expect(told(text)).toEqual([expect.stringMatching(/^pod-schedule-rare Pod\/shop\/web-abc-1 metadata/)]);
  });

  it.each([
    ['CronJob', 'Job', 'web-29384756'],
    ['StatefulSet', 'StatefulSet', 'web'],
  ])('%s: its pods are those of %s %s', (kind, owner, name) => {
    const text = workload(kind, zoned) + pod('web-1', `{kind: ${owner}, name: ${name}, controller: true}`, zoned);
    expect(told(text)).toEqual([expect.stringMatching(`^pod-schedule-rare ${kind}/shop/web `)]);
  });
});

describe('E10, E7: rules over the pods of a template', () => {
  const budget = (spec: string, name = 'b'): string =>
    `apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {namespace: shop, name: ${name}}\nspec: {${spec}}\n---\n`;
  const web = 'selector: {matchLabels: {app: web}}';
  const api = 'selector: {matchLabels: {app: api}}';
  const nightly = (selector: string): string =>
    `apiVersion: karpenter.sh/v1alpha1\nkind: PodDisruptionSchedule\nmetadata: {name: s}\nspec: {${selector}, schedule: "0 2 * * *", duration: 4h, timeZone: UTC}\n---\n`;
  const rules = (text: string): string[] => lint(policyOf(text)).map(({ rule }) => rule);
  const messages = (text: string): string[] => lint(policyOf(text)).map(({ message }) => message);

  it.each([
    { name: 'a PDB that selects it', text: budget(`${web}, maxUnavailable: 1`), finds: [] },
    { name: 'a PDB that selects no pod', text: budget(`${api}, maxUnavailable: 1`), finds: ['pdb-selects-nothing'] },
    { name: 'a schedule that selects it', text: nightly(web), finds: [] },
    { name: 'a schedule that selects no pod', text: nightly(api), finds: ['pod-schedule-selects-nothing'] },
    {
      name: 'minAvailable equal to the replicas',
      text: budget(`${web}, minAvailable: 2`),
      finds: ['pdb-never-allows'],
    },
    { name: 'minAvailable below the replicas', text: budget(`${web}, minAvailable: 1`), finds: [] },
  ])('$name: $finds', ({ text, finds }) => {
    expect(rules(workload('Deployment', 'note: x', { spec: '  replicas: 2\n' }) + text)).toEqual(finds);
  });

  it('have an unknown number of pods without replicas', () => {
    expect(rules(workload('Deployment', 'note: x') + budget(`${web}, minAvailable: 1`))).toEqual([]);
  });

  it('two PDBs on one template, and on pods of others', () => {
    const two = budget(`${web}, maxUnavailable: 1`) + budget('selector: {}, maxUnavailable: 1', 'all');
    const own = pod('web-abc-1', byReplicaSet, 'note: x');
    expect(messages(workload('Deployment', 'note: x') + own + two)[0]).toMatch(
      /^The pods of Deployment web are selected/,
    );
    expect(messages(workload('Deployment', 'note: x') + pod('p', '', 'note: x') + two)[0]).toMatch(
      /^The pods of Deployment web and 1 pod \(p\) are selected/,
    );
  });
});
