// Health gates in guide (O): a real Prometheus and Alertmanager report errors in the middle of a roll, which stops until they have recovered.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { kubeconfig } from '../cluster/keys.ts';
import { start } from '../cluster/running.ts';
import { moreThan } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { takesOf } from './observer/takes.ts';
import type { KubeObject } from './story/hand.ts';
import { grow, parkedNodes, type Roll, release } from './story/roll.ts';
import { describeStory, type Story } from './story/story.ts';

/** As Debian's packages prometheus and prometheus-alertmanager install them. */
const programs = { prometheus: '/usr/bin/prometheus', alertmanager: '/usr/bin/prometheus-alertmanager' };
const missing = Object.values(programs).filter((program) => !existsSync(program));

const gate = (name: string, check: object): object => ({
  apiVersion: 'lull.dev/v1alpha1',
  kind: 'HealthGate',
  metadata: { name },
  spec: { check, interval: '5s', recoverAfter: '10s', note: 'ask the shop team' },
});

/** For a gate over objects of another cluster, which is this one here. The Secret is the one that Lull may read. */
const kubeconfigSecret = 'lull-health-gates';
const otherCluster = ({ cluster: { name, server, token, caFile } }: Story): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: kubeconfigSecret, namespace: 'lull-system' },
  stringData: {
    kubeconfig: kubeconfig({
      cluster: name,
      server,
      token,
      ca: readFileSync(caFile).toString('base64'),
      user: 'admin',
      namespace: 'default',
    }),
  },
});
const condition = { type: 'Progressing', status: 'True' };
const deployed = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web', condition };

/** YAML accepts JSON. */
const write = (file: string, content: object): void => writeFileSync(file, JSON.stringify(content));

interface Monitoring {
  readonly prometheus: string;
  readonly alertmanager: string;
}

/** Prometheus scrapes the number of errors from the test every second, and sends its alert to Alertmanager. */
function startMonitoring({ cluster: { folder, sparePorts } }: Story, exporter: string): Monitoring {
  const [prometheus, alertmanager] = [sparePorts.at(-1), sparePorts.at(-2)].map((port) => `127.0.0.1:${port}`);
  const file = (name: string): string => join(folder, name);
  const alert = { alert: 'ShopErrors', expr: 'shop_errors > 0', labels: { severity: 'page' } };
  write(file('rules.yaml'), { groups: [{ name: 'shop', rules: [alert] }] });
  write(file('prometheus.yaml'), {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [file('rules.yaml')],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] },
    scrape_configs: [{ job_name: 'shop', static_configs: [{ targets: [exporter] }] }],
  });
  write(file('alertmanager.yaml'), { route: { receiver: 'none' }, receivers: [{ name: 'none' }] });
  start(folder, {
    name: 'prometheus',
    program: programs.prometheus,
    flags: [
      `--config.file=${file('prometheus.yaml')}`,
      `--storage.tsdb.path=${file('prometheus-data')}`,
      `--web.listen-address=${prometheus}`,
    ],
  });
  start(folder, {
    name: 'alertmanager',
    program: programs.alertmanager,
    flags: [
      `--config.file=${file('alertmanager.yaml')}`,
      `--storage.path=${file('alertmanager-data')}`,
      `--web.listen-address=${alertmanager}`,
      '--cluster.listen-address=',
    ],
  });
  return { prometheus: `http://${prometheus}`, alertmanager: `http://${alertmanager}` };
}

function tell(story: Story): void {
  let errors = 0;
  let exporter: Server;
  let roll: Roll;
  let taken = 0;

  const gates = async (): Promise<readonly KubeObject[]> => story.list('HealthGate');
  const areAll = async (state: string): Promise<boolean> => {
    const all = (await gates()).filter(({ metadata }) => metadata.name !== 'deployed');
    return all.length === 2 && all.every(({ status }) => status?.state === state);
  };
  const takes = async (): Promise<number> => takesOf(await story.observer.timeline()).length;

  afterAll(() => void exporter?.close());

  it('O1, O3: four nodes, and three gates that Lull finds healthy', async () => {
    exporter = createServer((_, response) => response.end(`shop_errors ${errors}\n`));
    await new Promise<void>((resolve) => exporter.listen(0, '127.0.0.1', resolve));
    const monitoring = startMonitoring(story, `127.0.0.1:${(exporter.address() as AddressInfo).port}`);
    await grow(story, { budgets: [{ nodes: '1' }] }, 4);
    await story.apply(
      gate('errors', { prometheus: { url: monitoring.prometheus, query: 'shop_errors > 0' } }),
      otherCluster(story),
      gate('deployed', { object: { ...deployed, kubeconfigSecret } }),
      gate('pages', { alerts: { url: monitoring.alertmanager, match: { severity: 'page' } } }),
    );
    await story.startLull({ role: 'guide' });
    await story.until('all are parked', async () => (await parkedNodes(story)).length === 4);
    await story.until('both gates are healthy', async () => areAll('Healthy'));
    await story.until(
      'the gate over another cluster is healthy',
      async () => (await story.read('HealthGate', 'deployed'))?.status?.state === 'Healthy',
    );
  });

  it('O4: errors in the middle of a roll close both gates, and no other node is started', async () => {
    roll = await release(story, 'two');
    await story.until('one is taken', async () => (await takes()) === 1, { within: 120 });
    errors = 3;
    await story.until('both gates are unhealthy', async () => areAll('Unhealthy'), { within: 120 });
    // Nodes offered before the gates closed may have been taken until then.
    taken = await takes();
    await story.until('the started ones are gone', async () => (await roll.gone()) === taken, { within: 120 });
    const [, errorsGate, pages] = (await gates()).toSorted((one, other) =>
      one.metadata.name < other.metadata.name ? -1 : 1,
    );
    expect(errorsGate?.status.message).toContain('shop_errors');
    expect(pages?.status.message).toContain('ShopErrors');
    const { stdout } = await story.lull('why', 'pool/web');
    expect(stdout).toContain('HealthGate');
    expect((await story.lull('gate')).stdout).toMatch(/^errors +closed +since/m);
    expect(await takes()).toBe(taken);
    expect(taken).toBeLessThan(4);
  });

  it('O3: they recover, and the roll continues to its end', async () => {
    errors = 0;
    await story.until('all four are new, and their pods run', () => roll.isDone(), { within: 300 });
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, roll.since)}`);
    expect(takesOf(timeline)).toHaveLength(4);
    expect(moreThan(1, timeline)).toEqual([]);
  });

  it('Lull wrote only what it may', () => {
    const refused = story.audit().filter(({ user, decision }) => user.endsWith(':lull') && decision === 'forbid');
    expect(refused).toEqual([]);
  });
}

if (missing.length > 0)
  describe.skip(`health-gate (${missing.join(', ')} not installed)`, () => it('is skipped', () => undefined));
else describeStory('health-gate', { install: ['--set', 'role=guide'] }, tell);
