// A real node of a test's cluster: containerd, kubelet and kube-proxy in namespaces of their own, where real pods run.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Cluster } from '../cluster.ts';
import { kubeconfig } from '../keys.ts';
import { bin } from '../places.ts';
import { blockOf } from '../ports.ts';
import { logFile, pidOf, start, stop } from '../running.ts';
import { writeBusybox } from './busyboxImage.ts';
import { makeCgroups, removeCgroups, residueName } from './cgroups.ts';
import { nodeFiles, pauseImage, type Taint } from './files.ts';
import { nodePath, pluginFolder, whyNoNode } from './requirements.ts';

export interface NodeOptions {
  /** The name of the Node object; an existing one of that name is taken over. Default: real. */
  readonly name?: string;
  /** Default: CriticalAddonsOnly, so that workloads for simulated nodes stay away. */
  readonly taints?: readonly Taint[];
  /** Archives of the images that its pods may use: it pulls none. */
  readonly images?: readonly string[];
}

export interface RealNode {
  readonly name: string;
  readonly folder: string;
  readonly address: string;
  /** Runs a program in the node's namespaces. */
  enter(...words: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

/** The image for a test's workloads: it sleeps unless a pod sets another command. */
export const workloadImage = 'example.com/main:1';
const process1 = 'node';

/** The cluster must have been started with `realNode`. It can have one at a time. */
export async function startNode(cluster: Cluster, options: NodeOptions = {}): Promise<RealNode> {
  const why = whyNoNode();
  if (why) throw new Error(why);
  const { name = 'real', taints = [{ key: 'CriticalAddonsOnly', effect: 'NoSchedule' }], images = [] } = options;
  if (await pidOf(cluster.folder, process1)) throw new Error(`${cluster.name} has a real node already`);
  const folder = join(cluster.folder, process1);
  const [gateway, address] = addressesOf(cluster);
  rmSync(folder, { recursive: true, force: true });
  for (const part of ['images', 'cni']) mkdirSync(join(folder, part), { recursive: true });
  const plan = { folder, address, cgroup: `/${residueName(cluster.folder)}`, plugins: pluginFolder() ?? '', taints };
  for (const [file, text] of Object.entries(nodeFiles(plan))) writeFileSync(join(folder, file), text);
  writeKubeconfigs(cluster, folder, gateway);
  writeBusybox(join(folder, 'images', 'busybox.tar'), [pauseImage, workloadImage], ['/bin/sleep', '1000000']);
  for (const image of images) symlinkSync(image, join(folder, 'images', basename(image)));
  await openServiceTo(cluster, gateway);
  const DAEMONS = makeCgroups(cluster.folder).join(' ');
  start(cluster.folder, {
    name: process1,
    program: 'unshare',
    flags: [
      ...namespaces,
      '--fork',
      '--kill-child',
      '--mount-proc',
      'sh',
      join(import.meta.dirname, 'init.sh'),
      `${folder}/`,
    ],
    env: { FOLDER: folder, NAME: name, ADDRESS: address, GATEWAY: gateway, BIN: bin, DAEMONS, PATH: nodePath },
  });
  const first = await firstProcess(cluster.folder);
  connect(residueName(cluster.folder), gateway, first);
  const enter = async (...words: readonly string[]): Promise<string> => {
    const flags = ['--target', String(first), '--mount', '--pid', '--net', '--', ...words];
    return (await promisify(execFile)('nsenter', flags, { env: { PATH: nodePath }, maxBuffer: 1e8 })).stdout;
  };
  await isReady(cluster, name, folder);
  return {
    name,
    folder,
    address,
    enter,
    stop: async () => {
      await stop(cluster.folder, process1, 'SIGKILL');
      await removeCgroups(cluster.folder);
    },
  };
}

const namespaces = ['--pid', '--mount', '--net'];

/** The machine's end of the link, and the node's: from the range for tests between networks (RFC 2544), four addresses for each cluster. */
function addressesOf(cluster: Cluster): readonly [string, string] {
  const start = blockOf(Number(new URL(cluster.server).port)) * 4;
  const address = (number: number): string => `198.18.${number >> 8}.${number & 255}`;
  return [address(start + 1), address(start + 2)];
}

function writeKubeconfigs(cluster: Cluster, folder: string, gateway: string): void {
  const ca = readFileSync(cluster.caFile).toString('base64');
  const server = `https://${gateway}:${new URL(cluster.server).port}`;
  for (const user of ['kubelet', 'kube-proxy'] as const) {
    const parts = { cluster: cluster.name, server, ca, token: cluster.tokens[user], user, serverName: 'kubernetes' };
    writeFileSync(join(folder, `${user}.kubeconfig`), kubeconfig(parts), { mode: 0o600 });
  }
}

/** For pods: the service `kubernetes` points to the API server, which does not create that itself here. */
async function openServiceTo({ api, server }: Cluster, gateway: string): Promise<void> {
  const path = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes?fieldManager=cluster&force=true';
  const body = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [gateway], conditions: { ready: true } }],
    ports: [{ name: 'https', port: Number(new URL(server).port), protocol: 'TCP' }],
  };
  await api.must({ method: 'PATCH', path, body, contentType: 'application/apply-patch+yaml' });
}

/** In this process's namespace; `unshare` waits for it. */
async function firstProcess(folder: string): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    const pid = await pidOf(folder, process1);
    const children = pid === undefined ? '' : readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    if (children) return Number(children);
    await setTimeout(50);
  }
  throw new Error(`The node does not start:\n${readFileSync(logFile(folder, process1), 'utf8')}`);
}

/** The link ends with the node's namespace. */
function connect(link: string, gateway: string, first: number): void {
  const ip = (...words: readonly string[]): void => void execFileSync('ip', words, { env: { PATH: nodePath } });
  ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(first));
  ip('address', 'add', `${gateway}/30`, 'dev', link);
  ip('link', 'set', link, 'up');
}

interface NodeStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly nodeInfo?: { readonly containerRuntimeVersion: string };
}

/** According to this kubelet: a Node that it takes over was Ready before. */
const isJoined = ({ conditions, nodeInfo }: NodeStatus): boolean =>
  nodeInfo?.containerRuntimeVersion.startsWith('containerd:') === true &&
  conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

async function isReady(cluster: Cluster, name: string, folder: string): Promise<void> {
  const began = performance.now();
  for (;;) {
    const { body } = await cluster.api.ask({ method: 'GET', path: `/api/v1/nodes/${name}` });
    const { status } = body as { status?: NodeStatus | string };
    if (typeof status === 'object' && isJoined(status)) return;
    if (performance.now() - began > 120_000 || !(await pidOf(cluster.folder, process1)))
      throw new Error(`The node ${name} does not become Ready: ${folder}\n${tails(cluster.folder, folder)}`);
    await setTimeout(100);
  }
}

function tails(cluster: string, folder: string): string {
  const logs = [
    logFile(cluster, process1),
    ...['containerd', 'kubelet', 'kube-proxy'].map((it) => logFile(folder, it)),
  ];
  return logs
    .filter((log) => existsSync(log))
    .map((log) => `${log}\n${readFileSync(log, 'utf8').trimEnd().split('\n').slice(-15).join('\n')}`)
    .join('\n\n');
}
