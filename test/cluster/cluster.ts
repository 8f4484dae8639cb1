// A real cluster for tests: etcd, API server, controllers, scheduler, KWOK nodes and Karpenter, ready in seconds.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { type Api, openApi } from './api.ts';
import { whyNoCluster } from './binaries.ts';
import { type Component, type ComponentName, componentsOf, isHealthy, karpenterPortsOf } from './components.ts';
import { caFile, kubeconfigOf, readCa, type Tokens, writeKeys, writeKubeconfigs } from './keys.ts';
import { crds, runFolder, share } from './places.ts';
import { type Ports, takePorts } from './ports.ts';
import { endAll, logFile, pidOf, start, stop, whoRuns } from './running.ts';

export interface ClusterOptions {
  /** Also the name of its folder, .cluster/run/NAME; logs stay there until the next cluster of that name. */
  readonly name?: string;
  /** Its CRDs are installed in any case. Default: true. */
  readonly karpenter?: boolean;
  /** The folder of Karpenter's CRDs. Default: those of the KWOK provider. */
  readonly crds?: string;
  /** False = only etcd and the API server: only the test writes. Default: true. */
  readonly controllers?: boolean;
  /** The audit log as JSON lines: who requested what, and what was refused. Default: true. */
  readonly audit?: boolean;
  /** True = nodes can join (node/node.ts): the API server listens on every address of the machine. Default: false. */
  readonly realNode?: boolean;
  /** More flags of a component. */
  readonly flags?: Readonly<Partial<Record<ComponentName, readonly string[]>>>;
  /** The cluster keeps running after this process; npm run cluster:down stops it. */
  readonly detached?: boolean;
  readonly say?: (sentence: string) => void;
}

interface RunningComponent {
  readonly log: string;
  /** Returns when the process is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** With the same port and data; returns when it is ready. */
  start(): Promise<void>;
}

export interface Cluster {
  readonly name: string;
  readonly folder: string;
  /** Of an administrator. */
  readonly kubeconfig: string;
  readonly server: string;
  readonly token: string;
  readonly tokens: Tokens;
  readonly caFile: string;
  readonly auditLog: string;
  /** No other process uses them: for servers that the test starts itself. */
  readonly sparePorts: readonly number[];
  /** Where Karpenter answers, if it runs. */
  readonly karpenterPorts: { readonly metrics: number; readonly probe: number };
  readonly api: Api;
  component(name: ComponentName): RunningComponent;
  stop(): Promise<void>;
}

let count = 0;

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const why = whyNoCluster();
  if (why) throw new Error(why);
  const name = options.name ?? `test-${process.pid}-${++count}`;
  if (!/^[a-z0-9][a-z0-9-]{0,40}$/.test(name))
    throw new Error(`"${name}" is not a valid cluster name: use a-z, 0-9 and -`);
  const folder = runFolder(name);
  if ((await whoRuns(folder)).length > 0) {
    throw new Error(`A cluster ${name} is running already. Stop it with: npm run cluster:down -- --name ${name}`);
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const taken = await takePorts();
  const reaper = options.detached ? undefined : openReaper(folder);
  const end = async (): Promise<void> => {
    if (reaper) await closeReaper(reaper);
    else await endAll(folder);
    rmSync(taken.lockFile, { force: true });
  };
  try {
    return await bringUp({ name, folder, taken, end }, options);
  } catch (error) {
    await end();
    throw error;
  }
}

interface Place {
  readonly name: string;
  readonly folder: string;
  readonly taken: Ports;
  readonly end: () => Promise<void>;
}

async function bringUp({ name, folder, taken, end }: Place, options: ClusterOptions): Promise<Cluster> {
  const { karpenter = true, controllers = true, audit = true, flags = {}, say = () => undefined } = options;
  const tokens = writeKeys(folder);
  const stages = readdirSync(join(share, 'stages')).sort();
  const reachable = { ...flags, 'kube-apiserver': [...forNodes, ...(flags['kube-apiserver'] ?? [])] };
  const components = componentsOf({
    folder,
    ports: taken.ports,
    audit,
    stages,
    flags: options.realNode ? reachable : flags,
  });
  const find = (wanted: ComponentName): Component => components.find((it) => it.name === wanted) as Component;
  const run = async (wanted: ComponentName): Promise<void> => {
    start(folder, find(wanted));
    await ready(folder, find(wanted), tokens.admin);
    say(`${wanted} is ready`);
  };
  await run('etcd');
  await run('kube-apiserver');
  const server = new URL(find('kube-apiserver').health).origin;
  writeKubeconfigs(folder, server, { cluster: name, tokens });
  const api = openApi({ server, token: tokens.admin, ca: readCa(folder) });
  const others = controllers ? (['kube-controller-manager', 'kube-scheduler', 'kwok'] as const) : [];
  await Promise.all([
    ...others.map(run),
    applyCrds(api, options.crds),
    ...(controllers ? [hasServiceAccount(api)] : []),
  ]);
  if (karpenter && controllers) {
    await api.must({ method: 'POST', path: nodeClasses, body: nodeClass });
    await run('karpenter');
  }
  const holder = await pidOf(folder, 'kube-apiserver');
  if (options.detached && holder) writeFileSync(taken.lockFile, String(holder));
  return {
    name,
    folder,
    kubeconfig: kubeconfigOf(folder, 'admin'),
    server,
    token: tokens.admin,
    tokens,
    caFile: caFile(folder),
    auditLog: join(folder, 'audit.log'),
    sparePorts: taken.ports.slice(8),
    karpenterPorts: karpenterPortsOf(taken.ports),
    api,
    component: (wanted) => ({
      log: logFile(folder, wanted),
      stop: (signal) => stop(folder, wanted, signal),
      start: async () => {
        if (await pidOf(folder, wanted)) throw new Error(`${wanted} is running already: stop it first`);
        await run(wanted);
      },
    }),
    stop: async () => {
      api.close();
      await end();
    },
  };
}

const forNodes = ['--bind-address=0.0.0.0', '--kubelet-preferred-address-types=InternalIP'];

/** A process that answers once it is ready. */
type Awaited = Pick<Component, 'health'> & { readonly name: string };

/** How long each may take on a loaded machine. */
const patience = 120_000;

export async function ready(folder: string, component: Awaited, token: string): Promise<void> {
  const began = performance.now();
  for (let asked = 0; !(await isHealthy(component, token)); asked++) {
    const { name } = component;
    const log = logFile(folder, name);
    const tail = (): string => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(-15).join('\n') : '');
    if (asked % 20 === 19 && !(await pidOf(folder, name))) throw new Error(`${name} has ended: ${log}\n${tail()}`);
    if (performance.now() - began > patience) throw new Error(`${name} does not become ready: ${log}\n${tail()}`);
    await setTimeout(50);
  }
}

const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const nodeClasses = '/apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses';
const nodeClass = { apiVersion: 'karpenter.kwok.sh/v1alpha1', kind: 'KWOKNodeClass', metadata: { name: 'default' } };

/** Karpenter's, as it ships them. */
async function applyCrds(api: Api, folder = crds): Promise<void> {
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  const objects = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS())).filter(Boolean);
  await Promise.all(
    objects.map(async (body) => {
      await api.must({ method: 'POST', path: crdPath, body });
      await established(api, body.metadata.name);
    }),
  );
}

export async function established(api: Api, name: string): Promise<void> {
  for (;;) {
    const { status } = (await api.must({ method: 'GET', path: `${crdPath}/${name}` })) as {
      status?: { conditions?: { type: string; status: string }[] };
    };
    if (status?.conditions?.some((it) => it.type === 'Established' && it.status === 'True')) return;
    await setTimeout(30);
  }
}

/** Without it no pod can be created. */
async function hasServiceAccount(api: Api): Promise<void> {
  const path = '/api/v1/namespaces/default/serviceaccounts/default';
  while ((await api.ask({ method: 'GET', path })).code !== 200) await setTimeout(50);
}

function openReaper(folder: string): ChildProcess {
  const reaper = spawn(process.execPath, [join(import.meta.dirname, 'reaper.ts'), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  reaper.unref();
  return reaper;
}

async function closeReaper(reaper: ChildProcess): Promise<void> {
  reaper.ref();
  const gone = new Promise<void>((resolve) => reaper.once('exit', () => resolve()));
  reaper.stdin?.end();
  if (reaper.exitCode === null && reaper.signalCode === null) await gone;
}
