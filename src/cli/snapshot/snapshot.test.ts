import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../../test/architecture/sources.ts';
import { runInMemory } from '../../../test/inMemory.ts';
import { replayRounds } from '../../recording/replay.ts';
import { formatExactly } from '../../time/instant.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lull-snapshot-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Objects with the secret word acme in everything that a user can write. */
const secret = [
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'acme-key' }, data: { acme: 'YWNtZQ==' } },
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'acme-prod', labels: { 'kubernetes.io/metadata.name': 'acme-prod', 'acme.com/team': 'acme' } },
  },
  {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: {
      name: 'acme-pool',
      annotations: {
        'lull.dev/budgets': '# acme says so\n- nodes: "1"\n  topologyKey: acme.com/rack\n  sequential: true\n',
        'acme.com/owner': 'Ann of acme',
        'kubectl.kubernetes.io/last-applied-configuration': '{"acme":1}',
      },
    },
    spec: {
      limits: { 'acme.com/chip': '8', cpu: '100' },
      template: {
        metadata: { labels: { 'acme.com/rack': 'acme-1' } },
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'acme-class' },
          kubelet: { clusterDNS: ['acme'] },
          requirements: [{ key: 'acme.com/gen', operator: 'Gt', values: ['3'] }],
          taints: [{ key: 'acme.com/only', value: 'acme', effect: 'NoSchedule' }],
        },
      },
    },
    status: { conditions: [{ type: 'Ready', status: 'False', reason: 'NodeClassNotReady', message: 'acme is down' }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'acme-n1',
      uid: 'u1',
      labels: {
        'kubernetes.io/hostname': 'acme-n1',
        'karpenter.sh/nodepool': 'acme-pool',
        'acme.com/gen': '5',
        'acme.com/rack': 'acme-1',
      },
      annotations: { 'lull.dev/hold': 'acme holds it', 'karpenter.sh/do-not-disrupt': 'acme' },
      managedFields: [{ manager: 'acme' }],
    },
    spec: { providerID: 'aws:///acme/i-1', podCIDR: '10.0.0.0/8' },
    status: {
      conditions: [{ type: 'AcmeFanBroken', status: 'True', message: 'acme' }],
      images: [{ names: ['acme/app'] }],
      addresses: [{ address: 'acme' }],
      allocatable: { cpu: '4', 'acme.com/chip': '1' },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'acme-web-abc-1',
      namespace: 'acme-prod',
      labels: { app: 'acme-web', 'pod-template-hash': 'abc' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'acme-web-abc', uid: 'r1', controller: true },
      ],
    },
    spec: {
      nodeName: 'acme-n1',
      priorityClassName: 'acme-high',
      tolerations: [{ key: 'acme.com/only', operator: 'Equal', value: 'acme' }],
      nodeSelector: { 'acme.com/rack': 'acme-1' },
      containers: [
        {
          name: 'acme',
          image: 'acme/app',
          env: [{ name: 'ACME', value: 'acme' }],
          resources: { requests: { cpu: '1' } },
        },
      ],
      volumes: [{ secret: { secretName: 'acme-key' } }],
    },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'acme', namespace: 'acme-prod' },
    spec: { selector: { matchLabels: { app: 'acme-web' } } },
  },
  {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'MaintenanceWindow',
    metadata: { name: 'acme-freeze' },
    spec: {
      schedules: [
        { cron: '0 9 * * *', duration: '8h', timeZone: 'Europe/Berlin' },
        {
          cron: '0 9 * * sat#1',
          duration: '8h',
          every: '2w',
          anchor: '2026-11-02',
          exceptDates: ['2026-12-24', 'acme'],
        },
      ],
      note: 'acme: black Friday',
      selector: { matchExpressions: [{ key: 'acme.com/rack', operator: 'In', values: ['acme-1'] }] },
    },
  },
];

const nodeWith = (labels: object, rest: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'acme-n1', labels },
  ...rest,
});
const podWith = (annotations: object, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'acme-0', namespace: 'acme', annotations },
  spec,
});

/** What an older Lull left in the file. */
const givenAway: readonly (readonly [string, object])[] = [
  [
    'metadata of CRDs',
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {
        name: 'nodepools.karpenter.sh',
        labels: { 'argocd.argoproj.io/instance': 'acme-karpenter', 'app.kubernetes.io/managed-by': 'Helm' },
        annotations: { 'meta.helm.sh/release-name': 'acme-release', 'meta.helm.sh/release-namespace': 'acme' },
        ownerReferences: [{ apiVersion: 'acme.io/v1', kind: 'Acme', name: 'acme', uid: 'acme' }],
      },
      spec: { versions: [{ name: 'v1', served: true, schema: { description: 'acme' } }] },
    },
  ],
  ['roles of nodes', nodeWith({ 'node-role.kubernetes.io/acme': '', 'acme.k8s.io/acme': 'true' })],
  [
    'IDs of images and hosts',
    nodeWith({
      'karpenter.k8s.aws/instance-ami-id': 'ami-0acd',
      'karpenter.k8s.aws/instance-host-id': 'h-0acd',
      'lull.dev/acme': 'acme',
      'eks-node-viewer/acme': 'acme',
    }),
  ],
  [
    'zones, regions and instance types',
    nodeWith({
      'topology.kubernetes.io/zone': 'eu-central-1a',
      'topology.kubernetes.io/region': 'eu-central-1',
      'topology.k8s.aws/zone-id': 'euc1-acme',
      'node.kubernetes.io/instance-type': 'm5.large',
    }),
  ],
  [
    'conditions that others write',
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name: 'acme' },
      status: { conditions: [{ type: 'AcmeChecked', status: 'Acme', reason: 'AcmeSaysSo', message: 'acme' }] },
    },
  ],
  ['addresses', podWith({}, { containers: [{ name: 'acme', ports: [{ hostPort: 80, hostIP: '10.11.12.13' }] }] })],
  ['invalid schedules', podWith({ 'karpenter.sh/disruption-schedule': '0 9 * * *; when acme sleeps' })],
  ['invalid time zones', podWith({ 'karpenter.sh/disruption-schedule-timezone': 'Acme/Headquarters' })],
  ['invalid numbers', podWith({ 'controller.kubernetes.io/pod-deletion-cost': 'acme' })],
];

const given = { stdin: secret.map((object) => JSON.stringify(object)).join('\n') };
const take = async (...argv: string[]) => {
  const { status, stdout } = await runInMemory(['snapshot', '-f', '-', ...argv], given);
  expect(status).toBe(0);
  return {
    text: stdout,
    objects: stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  };
};

describe('lull snapshot', () => {
  it('holds one object a line, without Secrets, images and environments', async () => {
    const { text, objects } = await take('-o', '-');
    expect(objects.map(({ kind }) => kind)).toEqual([
      'Namespace',
      'NodePool',
      'Node',
      'Pod',
      'PodDisruptionBudget',
      'MaintenanceWindow',
    ]);
    for (const word of ['acme-key', 'acme/app', 'ACME', 'managedFields', '{\\"acme\\":1}', 'addresses'])
      expect(text).not.toContain(word);
  });

  it('--anonymise leaves no secret word', async () => {
    const { text, objects } = await take('--anonymise', '-o', '-');
    expect(text.toLowerCase()).not.toContain('acme');
    expect(text).not.toContain('Ann');
    expect(objects).toHaveLength(6);
  });

  it('L9: --anonymise says what was masked and what is kept', async () => {
    const { stderr } = await runInMemory(['snapshot', '-f', '-', '--anonymise', '-o', '-'], given);
    expect(stderr).toMatch(/^6 objects of -\nmasked: \d+ names \(.*label keys \d/);
    expect(stderr).toMatch(
      /\nkept: how many objects .*, dates, schedules 2 \(time zones Europe\/Berlin\), the order of names,.*\n$/,
    );
  });

  it.each(givenAway)('L9: --anonymise masks %s', async (_, object) => {
    const { status, stdout } = await runInMemory(['snapshot', '-f', '-', '--anonymise', '-o', '-'], {
      stdin: JSON.stringify(object),
    });
    expect({ status, objects: stdout.trim().split('\n').length }).toEqual({ status: 0, objects: 1 });
    expect(stdout).not.toMatch(/acme|10\.11\.12|ami-0|h-0|eu-central|argocd|helm|m5\./i);
  });

  it('--anonymise: references and selectors still match their targets', async () => {
    const { objects } = await take('--anonymise', '-o', '-');
    const [namespace, pool, node, pod, pdb, window] = objects;
    const rack = JSON.parse(pool.metadata.annotations['lull.dev/budgets'])[0].topologyKey;
    expect(pod.spec.nodeName).toBe(node.metadata.name);
    expect(node.metadata.labels['kubernetes.io/hostname']).toBe(node.metadata.name);
    expect(node.metadata.labels['karpenter.sh/nodepool']).toBe(pool.metadata.name);
    expect([pod.metadata.namespace, pdb.metadata.namespace]).toEqual([
      namespace.metadata.name,
      namespace.metadata.name,
    ]);
    expect(node.metadata.labels[rack]).toBe(pod.spec.nodeSelector[rack]);
    expect(window.spec.selector.matchExpressions[0]).toEqual({
      key: rack,
      operator: 'In',
      values: [node.metadata.labels[rack]],
    });
    const [[key, value]] = Object.entries(pdb.spec.selector.matchLabels) as [[string, unknown]];
    expect(pod.metadata.labels[key]).toBe(value);
    expect(pod.spec.tolerations[0]).toMatchObject({
      key: pool.spec.template.spec.taints[0].key,
      value: pool.spec.template.spec.taints[0].value,
    });
  });

  it('--anonymise: numbers that are compared stay, and a ReplicaSet keeps its hash', async () => {
    const { objects } = await take('--anonymise', '-o', '-');
    const [, pool, node, pod] = objects;
    const { key, values } = pool.spec.template.spec.requirements[0];
    expect([values, node.metadata.labels[key]]).toEqual([['3'], '5']);
    expect(pod.metadata.ownerReferences[0].name).toMatch(new RegExp(`-${pod.metadata.labels['pod-template-hash']}$`));
  });

  it('R1, R2: --anonymise keeps crons, weeks and dates, and masks what is none', async () => {
    const { objects } = await take('--anonymise', '-o', '-');
    const window = objects.find(({ kind }) => kind === 'MaintenanceWindow');
    expect(window?.spec.schedules[1]).toMatchObject({
      cron: '0 9 * * sat#1',
      every: '2w',
      anchor: '2026-11-02',
      exceptDates: ['2026-12-24', expect.not.stringContaining('acme')],
    });
  });

  it.each(['now.ndjson', 'now.ndjson.gz'])('is written to %s, and read by every -f', async (name) => {
    const file = join(folder, name);
    const { stderr } = await runInMemory(['snapshot', '-f', '-', '-o', file], given);
    expect(stderr).toBe(`6 objects of -, in ${file}\n`);
    const bytes = readFileSync(file);
    expect((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n')).toHaveLength(7);
    expect((await runInMemory(['decide', '-f', file])).status).toBe(0);
  });

  it.each([
    [['-o', 'now.json'], {}, /Use \.ndjson, or/],
    [[], { screen: () => ({ rows: 10, columns: 80 }) }, /Name a file with -o/],
    [['--context', 'x'], {}, /either -f or/],
  ])('%j is wrong usage', async (argv, world, message) => {
    const { status, stderr } = await runInMemory(['snapshot', '-f', '-', ...argv], { ...given, ...world });
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringMatching(message) });
  });

  it.each(['first-look.yaml', 'demo.yaml', 'seeds'])('is decided as what it was taken from: %s', async (name) => {
    const from = resolve(root, 'scenarios', name);
    const file = join(folder, 'now.ndjson');
    await runInMemory(['snapshot', '-f', from, '-o', file]);
    const [before, after] = await Promise.all(
      [from, file].map((path) => runInMemory(['decide', '-f', path, '-o', 'json'])),
    );
    expect(before?.stdout).toContain('"verdicts"');
    expect(withoutLines(after?.stdout)).toEqual(withoutLines(before?.stdout));
  });
});

/** Without the file, lines and columns of the faults, which differ in the snapshot. */
function withoutLines(text = '{}'): unknown {
  const { faults, cluster: _, ...round } = JSON.parse(text);
  const plain = faults.map(({ file: __, line: ___, column: ____, message, ...fault }: Record<string, unknown>) => ({
    ...fault,
    message: String(message).replace(/ at \S+:\d+\./, '.'),
  }));
  return { ...round, faults: plain };
}

describe('lull snapshot --recording', () => {
  let recording: string;
  beforeAll(async () => {
    const { stdout } = await runInMemory(['record', 'scenarios/zone-by-zone.yaml', '--to', '-', '--for', '15m']);
    recording = stdout;
  });
  /** The lines of rounds, each as it was recorded; the fields that did not change are those of the round before. */
  const instants = (): string[] =>
    recording.split('\n').flatMap((line) => /^\{"round":\{"at":"([^"]+)"/.exec(line)?.[1] ?? []);
  const header = (): Record<string, string> => JSON.parse(recording.split('\n')[0] ?? '').header.settings;

  it.each([
    ['the first round', 0, []],
    ['one in the middle', 0.5, []],
    ['the last round', 1, []],
    ['the last round without its names', 1, ['--anonymise']],
  ])('J4, L9: %s is decided again as it was recorded', async (_, where, flags) => {
    const all = instants();
    const at = all[Math.round(where * (all.length - 1))] ?? '';
    const source = join(folder, 'roll.ndjson');
    const [file, settings] = [join(folder, 'then.ndjson'), join(folder, 'settings.yaml')];
    writeFileSync(source, recording);
    writeFileSync(settings, JSON.stringify(header()));
    const taken = await runInMemory(['snapshot', '--recording', source, '--at', at, ...flags, '-o', file]);
    expect(taken.stderr).toContain(` objects of ${source} at ${at}, in ${file}\n`);
    const { stdout } = await runInMemory(['decide', '-f', file, '--settings', settings, '--at', at, '-o', 'json']);
    const outcomes = (verdicts: { reason: string; outcome: string }[]) =>
      verdicts.map(({ reason, outcome }) => `${reason} ${outcome}`).sort();
    const recorded = outcomes(verdictsAt(recording, at));
    expect(recorded.length > 0 || where === 0).toBe(true);
    expect(outcomes(JSON.parse(stdout).verdicts)).toEqual(recorded);
  });

  it.each([
    [['--at', '2020-01-01T00:00:00Z'], /This recording has no round at or before 2020-01-01T00:00:00Z/],
    [['-f', 'x.yaml'], /either --recording, or -f, or a cluster/],
  ])('%j is refused', async (argv, message) => {
    const { status, stderr } = await runInMemory(['snapshot', '--recording', '-', ...argv], { stdin: recording });
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringMatching(message) });
  });

  it('--at alone is wrong usage', async () => {
    const { status, stderr } = await runInMemory(['snapshot', '-f', '-', '--at', '2026-11-16T08:00:00Z'], given);
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringMatching(/--at needs --recording/) });
  });
});

/** As they were printed in that round. */
function verdictsAt(recording: string, at: string): { reason: string; outcome: string }[] {
  for (const moment of replayRounds(recording))
    if (formatExactly(moment.at) === at) return JSON.parse(moment.printed).verdicts;
  return [];
}

describe('kubectl lull', () => {
  it('uses that name in its help', async () => {
    const { stdout } = await runInMemory(['why', '--help'], { calledAs: 'kubectl lull' });
    expect(stdout).toMatch(/^Usage: kubectl lull why/);
    expect(stdout).toContain('$ kubectl lull why ip-10-0-2-18');
    expect(stdout).not.toMatch(/\$ lull/);
  });

  it('is the same program, also through a symbolic link', async () => {
    const link = join(folder, 'kubectl-lull');
    symlinkSync(resolve(root, 'bin/kubectl-lull'), link);
    const run = promisify(execFile);
    const [plugin, own] = await Promise.all([run(link, ['--version']), run(resolve(root, 'bin/lull'), ['--version'])]);
    expect(plugin.stdout).toBe(own.stdout);
  });
});
