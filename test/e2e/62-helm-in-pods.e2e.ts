// Installed with Helm in real pods on a real node, in a namespace with Pod Security `restricted`: install, roll, upgrade, uninstall.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { binary, chart, helmOn } from '../chart/helm.ts';
import { type RealNode, startNode } from '../cluster/node/node.ts';
import { buildImage, buildTimeout } from './image/build.ts';
import { whyNoImage } from './image/container.ts';
import { flawsOf } from './observer/flaws.ts';
import { narrate } from './observer/narrate.ts';
import { lullUser } from './story/audit.ts';
import type { KubeObject } from './story/hand.ts';
import { pdb } from './story/objects.ts';
import { describeOnNode, kubectl } from './story/onNode.ts';
import { grow, oneByOne, parkedNodes, type Roll, release } from './story/roll.ts';
import { everything, tracesIn } from './story/traces.ts';

const namespace = 'lull-system';
const values = [
  ...['--set', 'image.repository=localhost/lull'],
  ...['--set', 'nodeSelector.kubernetes\\.io/hostname=real'],
  ...['--set', 'release.staleAfter=5s'],
];
const nodes = 3;

const whyNot = binary === undefined ? 'There is no Helm here' : whyNoImage();

describeOnNode('helm', { install: false, whyNot }, (story) => {
  const built = mkdtempSync(join(tmpdir(), 'lull-image-'));
  let archive: string;
  let node: RealNode;
  let roll: Roll;
  let leader: string;

  const helm = (...words: readonly string[]): Promise<string> =>
    helmOn(story.cluster.kubeconfig, [...words, '--namespace', namespace]);
  const upgrade = (...words: readonly string[]): Promise<string> => helm('upgrade', 'lull', chart, ...values, ...words);
  const pods = async (): Promise<readonly KubeObject[]> => {
    const all = await story.list('Pod', 'app.kubernetes.io/component=controller');
    return all.filter(({ metadata }) => !metadata.deletionTimestamp);
  };
  /** The holder of the lease: the name of a pod, and a part that is new with every process. */
  const holder = async (): Promise<string> =>
    (await story.read('Lease', `${namespace}/lull`))?.spec.holderIdentity ?? '';
  const leadsAfter = (former: string): Promise<string> =>
    story.until(`a leader other than ${former || 'none'}`, async () => {
      const now = await holder();
      return now !== former && now;
    });

  /** The pods behind the Service. */
  const served = async (): Promise<readonly string[]> => {
    const slices = await story.list('EndpointSlice', 'kubernetes.io/service-name=lull');
    return slices.flatMap(({ endpoints }) => (endpoints ?? []).map((it: KubeObject) => it.targetRef.name));
  };
  const servesLeaderAlone = (): Promise<unknown> =>
    story.until('the Service selects only the leader', async () => {
      const [one, ...others] = await served();
      return others.length === 0 && one === podOf(await holder());
    });

  /** As in the chart's notes. */
  const showLeader = (): string => {
    story.say(kubectl(story, '-n', namespace, 'get', 'pods', '-L', 'lull.dev/leader'));
    const log = kubectl(story, '-n', namespace, 'logs', '-l', 'lull.dev/leader=true', '--tail=100');
    story.say(log);
    return log;
  };

  beforeAll(async () => {
    archive = await buildImage(built);
  }, buildTimeout);
  afterAll(() => rmSync(built, { recursive: true, force: true }));

  it('three nodes that Karpenter has created, and a real one', async () => {
    node = await startNode(story.cluster, { images: [archive] });
    await grow(story, { budgets: oneByOne }, nodes);
    await story.apply(pdb('web', { minAvailable: nodes - 1 }), {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
  });

  it('helm install --wait ends with two Ready pods on the real node, one of which leads', async () => {
    story.say(await helm('install', 'lull', chart, ...values, '--wait', '--timeout', '3m'));
    expect((await pods()).map(({ spec, status }) => [spec.nodeName, status.phase])).toEqual(
      Array(2).fill([node.name, 'Running']),
    );
    leader = await leadsAfter('');
    await servesLeaderAlone();
    expect(showLeader()).toContain('role observe, context in-cluster');
    expect(await parkedNodes(story)).toEqual([]);
  });

  it('its process has no capability, no privilege escalation, a seccomp filter, its own user and a read-only root', async () => {
    const folder = `/proc/${await processOf(podOf(leader))}`;
    expect(await node.enter('cat', `${folder}/mounts`)).toMatch(/^overlay \/ overlay ro,/);
    const status = kernelStatus(await node.enter('cat', `${folder}/status`));
    expect(status).toMatchObject({
      NoNewPrivs: '1',
      Seccomp: '2',
      CapEff: '0000000000000000',
      CapBnd: '0000000000000000',
    });
    expect(status.Uid?.split('\t')).toEqual(Array(4).fill('65532'));
  });

  it('through the Service, it answers clients that have the token', async () => {
    const address = (await story.read('Service', `${namespace}/lull`))?.spec.clusterIP;
    const secret = (await story.read('Secret', `${namespace}/lull-token`))?.data['read-token'];
    const ask = (...words: readonly string[]): Promise<string> =>
      node.enter('busybox', 'wget', '-q', '-O', '-', ...words, `http://${address}:7727/api/round`);
    const token = Buffer.from(secret, 'base64').toString();
    expect(JSON.parse(await ask('--header', `Authorization: Bearer ${token}`))).toMatchObject({
      verdicts: expect.any(Array),
    });
    await expect(ask()).rejects.toThrow('401');
  });

  it('observe → guide: the upgrade hands the lease over, and every node is parked', async () => {
    await upgrade('--set', 'settings.role=guide', '--wait', '--timeout', '3m');
    await leadsAfter(leader);
    await story.until('all nodes are parked', async () => (await parkedNodes(story)).length === nodes);
  });

  it('a roll continues when the leader is deleted, and when it is killed', async () => {
    roll = await release(story, 'two');
    await story.until('the first node is gone', async () => (await roll.gone()) > 0, { within: 120 });
    const deleted = await holder();
    await story.remove('Pod', `${namespace}/${podOf(deleted)}`);
    const killed = await leadsAfter(deleted);
    await story.until('two nodes are gone', async () => (await roll.gone()) > 1, { within: 120 });
    await node.enter('kill', '-KILL', await processOf(podOf(killed)));
    await leadsAfter(killed);
    await servesLeaderAlone();
    await story.until('all nodes are new, and their pods run', () => roll.isDone(), { within: 180 });
    showLeader();
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, roll.since)}`);
    expect(flawsOf(timeline, nodes)).toEqual([]);
    expect(story.audit().filter(({ user, decision }) => user === lullUser && decision === 'forbid')).toEqual([]);
  });

  it('an upgrade to an image that does not exist leaves the old pod leading, and can be rolled back', async () => {
    await story.until('two pods are Ready', async () => (await pods()).filter(isReady).length === 2);
    await upgrade('--set', 'settings.role=guide', '--set', 'image.tag=missing');
    await story.until('the new pod has no image', async () =>
      (await pods()).some(({ status }) => /ImagePull/.test(status.containerStatuses?.[0]?.state.waiting?.reason ?? '')),
    );
    await story.until('a Ready pod leads', async () => {
      const name = podOf(await holder());
      return (await pods()).some((pod) => pod.metadata.name === name && isReady(pod));
    });
    await servesLeaderAlone();
    await helm('rollback', 'lull', '--wait', '--timeout', '3m');
    expect((await pods()).filter(isReady)).toHaveLength(2);
    expect(await parkedNodes(story)).toHaveLength(nodes);
  });

  it('without any pod of Lull, the CronJob releases every node', async () => {
    await story.patch('Deployment', `${namespace}/lull`, { spec: { replicas: 0 } });
    await story.until('no pod is left', async () => (await pods()).length === 0);
    const jobs = new Set<string>();
    // The first job may run before the lease is old enough.
    await story.until('all nodes are released', async () => {
      const name = `stale-${jobs.size}`;
      kubectl(story, '-n', namespace, 'create', 'job', name, '--from=cronjob/lull-release');
      jobs.add(name);
      await story.until(`${name} ends`, async () => {
        const { conditions = [] } = (await story.read('Job', `${namespace}/${name}`))?.status ?? {};
        return conditions.some(({ type, status }: Condition) => type === 'Complete' && status === 'True');
      });
      story.say(kubectl(story, '-n', namespace, 'logs', `job/${name}`));
      return (await parkedNodes(story)).length === 0;
    });
    await story.patch('Deployment', `${namespace}/lull`, { spec: { replicas: 2 } });
    await story.until('all nodes are parked again', async () => (await parkedNodes(story)).length === nodes);
  });

  it('helm uninstall leaves its CRDs, and no other trace', async () => {
    story.say(await helm('uninstall', 'lull', '--wait', '--timeout', '3m'));
    expect(await parkedNodes(story)).toEqual([]);
    await story.remove('Namespace', namespace);
    await story.until('its namespace is gone', async () => !(await story.read('Namespace', namespace)));
    await story.patch('NodePool', 'web', { metadata: { annotations: { 'lull.dev/budgets': null } } });
    // The real node lists Lull's image among its own.
    const all = (await everything(story.cluster.api)).filter(({ key }) => key !== `Node/${node.name}`);
    expect(tracesIn(all).filter((key) => !/^(CustomResourceDefinition|APIService)\//.test(key))).toEqual([]);
  });

  /** The PID of a pod's process in the node's namespace. */
  async function processOf(pod: string): Promise<string> {
    const id = (await story.read('Pod', `${namespace}/${pod}`))?.status.containerStatuses[0].containerID;
    const tasks = await node.enter('ctr', '--namespace', 'k8s.io', 'task', 'ls');
    const found = tasks.split('\n').find((line) => line.startsWith(id.replace('containerd://', '')));
    return found?.split(/\s+/)[1] ?? '';
  }
});

const podOf = (holder: string): string => holder.replace(/_[^_]*$/, '');

interface Condition {
  readonly type: string;
  readonly status: string;
}

const isReady = ({ status }: KubeObject): boolean =>
  (status.conditions ?? []).some(({ type, status: is }: Condition) => type === 'Ready' && is === 'True');

const kernelStatus = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(text.split('\n').map((line) => line.split(/:\s+/)));
