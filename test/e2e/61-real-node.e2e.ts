// A real node: kubelet, containerd and kube-proxy run a real pod, and end without a trace, also when their test is killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type RealNode, startNode, workloadImage } from '../cluster/node/node.ts';
import { root, runFolder } from '../cluster/places.ts';
import { describeOnNode, kubectl, machineState, residueOf } from './story/onNode.ts';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'guest', namespace: 'default' },
  spec: {
    tolerations: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
    nodeSelector: { 'kubernetes.io/hostname': 'real' },
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: 'main',
        image: workloadImage,
        command: ['sh', '-c', 'echo "hello from $(cat /etc/hostname)"; sleep 3600'],
      },
    ],
  },
};

/** A test process that starts a cluster with a real node and is killed before it can stop them. */
const doomed = 'e2e-doomed-node';
const runner = `
  const { startCluster } = await import(${JSON.stringify(join(root, 'test/cluster/cluster.ts'))});
  const { startNode } = await import(${JSON.stringify(join(root, 'test/cluster/node/node.ts'))});
  await startNode(await startCluster({ name: '${doomed}', karpenter: false, realNode: true }));
  console.log('up');
  setInterval(() => undefined, 1000);
`;

describeOnNode('real-node', { karpenter: false, install: false }, (story) => {
  let node: RealNode;
  let before: object;

  it('it joins the cluster and is Ready', async () => {
    before = machineState();
    node = await startNode(story.cluster);
    const joined = await story.read('Node', node.name);
    expect(joined?.spec.taints).toContainEqual({ key: 'CriticalAddonsOnly', effect: 'NoSchedule' });
    expect(joined?.status.nodeInfo).toMatchObject({
      kubeletVersion: 'v1.36.3',
      containerRuntimeVersion: expect.stringContaining('containerd://'),
    });
  });

  it('it runs a pod, which reaches the API server, and whose logs can be read', async () => {
    await story.apply(pod);
    await story.until('the pod runs', async () => (await story.read('Pod', 'guest'))?.status.phase === 'Running');
    expect(kubectl(story, 'logs', 'guest')).toBe('hello from guest\n');
    // Busybox does not support the server's TLS; only an API server answers that TLS is required.
    const plain = "printf 'GET / HTTP/1.0\\r\\n\\r\\n' | busybox nc 10.0.0.1 443";
    expect(kubectl(story, 'exec', 'guest', '--', 'sh', '-c', plain)).toContain('HTTP request to an HTTPS server');
  });

  it('when it is stopped, no process, mount, link, rule or cgroup of it is left', async () => {
    expect(residueOf(story.cluster.folder)).not.toEqual([]);
    await node.stop();
    // The kernel removes a link a moment after the last process of its namespace.
    await story.until('nothing of it is left', () => residueOf(story.cluster.folder).length === 0);
    expect(machineState()).toEqual(before);
  });

  it('a node whose test is killed is stopped too', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', runner], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(String((await once(child.stdout, 'data'))[0])).toBe('up\n');
    expect(residueOf(runFolder(doomed))).not.toEqual([]);
    child.kill('SIGKILL');
    await story.until('nothing of it is left', () => residueOf(runFolder(doomed)).length === 0);
    expect(machineState()).toEqual(before);
  });
});
