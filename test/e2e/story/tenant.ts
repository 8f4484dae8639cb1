// The pods of a hostile tenant, bound to nodes by name: schedules that never meet, and anti-affinity terms by the thousand.
import type { Story } from './story.ts';

export const tenantNamespace = 'tenant';

interface Tenant {
  readonly nodes: readonly string[];
  /** Pods that may be moved one minute an hour, and not in that minute. */
  readonly scheduled: number;
  /** Pods with `terms` required anti-affinity terms each, which match nothing. */
  readonly spread: number;
  readonly terms: number;
}

/** How many are created at the same time. */
const atOnce = 20;

export async function deployHostile(story: Story, { nodes, scheduled, spread, terms }: Tenant): Promise<void> {
  await story.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: tenantNamespace } });
  await story.until('the namespace has its account', () => story.read('ServiceAccount', `${tenantNamespace}/default`));
  const nodeOf = (index: number): string => nodes[index % nodes.length] ?? '';
  const pods = [
    ...Array.from({ length: scheduled }, (_, index) => scheduledPod(index, nodeOf(index))),
    ...Array.from({ length: spread }, (_, index) => spreadPod(index, nodeOf(index), terms)),
  ];
  const waiting = pods.values();
  const create = async (): Promise<void> => {
    for (const pod of waiting) {
      const { code, body } = await story.create(pod);
      if (code >= 300) throw new Error(`A pod of the tenant was refused: ${code} ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, create));
}

/** No two have the same schedule, so that nothing is shared. */
const scheduledPod = (index: number, nodeName: string): object => {
  const annotations = {
    'karpenter.sh/disruption-schedule': '0 * * * *',
    'karpenter.sh/disruption-schedule-duration': '1m',
    'karpenter.sh/disruption-block-schedule': `0-48 * * * *; ${index % 49} 0 * * *`,
    'karpenter.sh/disruption-block-duration': '1m',
    'karpenter.sh/disruption-schedule-timezone': 'Europe/Berlin',
  };
  return pod(`scheduled-${index}`, annotations, { nodeName });
};

function spreadPod(index: number, nodeName: string, terms: number): object {
  const required = Array.from({ length: terms }, (_, term) => ({
    topologyKey: 'topology.kubernetes.io/zone',
    namespaceSelector: {},
    labelSelector: { matchLabels: { unique: `${index}-${term}` } },
  }));
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: required };
  return pod(`spread-${index}`, {}, { nodeName, affinity: { podAntiAffinity } });
}

const pod = (name: string, annotations: object, spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: tenantNamespace, labels: { app: 'hostile' }, annotations },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'main', image: 'example.com/main:1', resources: { requests: { cpu: '1m', memory: '1Mi' } } }],
    ...spec,
  },
});
