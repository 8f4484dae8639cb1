// The port to a real API server keeps the same contract as the simulator, on etcd and an API server without other clients.

import { afterEach } from 'vitest';
import { apiKindOf, collectionPath, objectPath } from '../../src/kube/apiKind.ts';
import type { ApiReply } from '../../src/kube/apiReply.ts';
import { type Call, type Client, openClient } from '../../src/kube/client.ts';
import { findAccess } from '../../src/kube/findAccess.ts';
import { KubePort } from '../../src/kube/kubePort.ts';
import { chance, steadyClock } from '../../src/kube/machine.ts';
import type { Port } from '../../src/runtime/port.ts';
import type { KubeObject } from '../../src/sim/kubeObject.ts';
import { openProxy } from '../kube/proxy.ts';
import { until } from '../kube/turns.ts';
import { describePort, type Opened, type Stage } from '../port.contract.ts';
import { rawClaim, rawNode, rawPdb, rawPod } from '../rawObjects.ts';
import { describeStory } from './story/story.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

const place = (kind: string, key: string): string => {
  const [namespace, name] = key.includes('/') ? key.split('/') : [undefined, key];
  return objectPath(apiKindOf(kind), name ?? '', namespace);
};

async function ask(client: Client, call: Call): Promise<Extract<ApiReply, { kind: 'answer' }>> {
  const reply = await client.request(call);
  if (reply.kind === 'silence') throw new Error(`${call.method} ${call.path}: ${reply.message}`);
  return reply;
}

async function must(client: Client, call: Call): Promise<KubeObject> {
  const { code, body } = await ask(client, call);
  if (code >= 300) throw new Error(`${call.method} ${call.path}: ${code} ${JSON.stringify(body)}`);
  return body as KubeObject;
}

function stageOf(client: Client): Stage {
  const read = async (kind: string, key: string): Promise<KubeObject | undefined> => {
    const { code, body } = await ask(client, { method: 'GET', path: place(kind, key) });
    return code === 404 ? undefined : (body as KubeObject);
  };
  return {
    read,
    apply: async (object) => {
      const path = collectionPath(apiKindOf(object.kind), object.metadata.namespace);
      await must(client, { method: 'POST', path, body: object });
    },
    setStatus: async (kind, key, status) => {
      const contentType = 'application/merge-patch+json';
      await must(client, { method: 'PATCH', path: `${place(kind, key)}/status`, body: { status }, contentType });
    },
    delete: async (kind, key) => {
      await ask(client, { method: 'DELETE', path: place(kind, key), body: { gracePeriodSeconds: 0 } });
    },
  };
}

/** One object of each kind that is written here: once a write to it has arrived, so has everything before. */
const markers = [rawNode('settled'), rawClaim('settled'), rawPod('settled'), rawPdb('settled', { settled: 'yes' })];

async function settled(client: Client, ports: readonly Port[]): Promise<void> {
  for (const { kind, metadata } of markers) {
    const key = metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;
    const body = { metadata: { annotations: { at: String(performance.now()) } } };
    const contentType = 'application/merge-patch+json';
    const written = await must(client, { method: 'PATCH', path: place(kind, key), body, contentType });
    const version = Number(written.metadata.resourceVersion);
    await until(() => ports.every((port) => Number(port.view().seen[kind]) >= version));
  }
  const { code, body } = await ask(client, { method: 'GET', path: place('DisruptionLedger', 'lull') });
  const version = code === 404 ? undefined : (body as KubeObject).metadata.resourceVersion;
  await until(() => ports.every((port) => port.view().ledger?.version === version));
  await until(() => ports.every((port) => port.view().unsynced.length === 0));
}

async function open(kubeconfig: string): Promise<Opened> {
  const { access } = findAccess({ kubeconfig });
  const client = openClient(access, steadyClock);
  closing.push(() => client.close());
  for (const object of markers) {
    const path = collectionPath(apiKindOf(object.kind), object.metadata.namespace);
    await ask(client, { method: 'POST', path, body: object });
  }
  const proxy = await openProxy(access.server);
  closing.push(() => proxy.close());
  const ports: KubePort[] = [];
  const openPort = (): KubePort => {
    const server = new URL(access.server);
    server.hostname = '127.0.0.1';
    server.port = String(proxy.port);
    const through = openClient({ ...access, server }, steadyClock);
    const port = new KubePort({ client: through, clock: steadyClock, chance });
    closing.push(() => {
      port.close();
      through.close();
    });
    ports.push(port);
    return port;
  };
  const port = openPort();
  const settle = (): Promise<void> => settled(client, ports);
  await settle();
  return {
    port,
    another: async () => openPort(),
    stage: stageOf(client),
    settle,
    cutOff: async (away) => proxy.cutOff(away),
  };
}

// Both would write to the objects of the tests: the account controller does not run here, and new nodes get a taint.
const flags = { 'kube-apiserver': ['--disable-admission-plugins=ServiceAccount,TaintNodesByCondition'] };

describeStory('port', { controllers: false, install: 'crds', flags }, (story) => {
  describePort('a real cluster', () => open(story.cluster.kubeconfig));
});
