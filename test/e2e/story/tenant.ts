// The pods of a hostile tenant, bound to nodes by name: schedules that never meet, and anti-affinity terms by the thousand.
import type { Story } from './story.ts';

export const tenantNamespace = 'tenant';

interface Tenant {
  readonly nodes: readonly string[];
  /** Pods that may be moved one minute an hour, but are blocked in that minute. */
  readonly scheduled: number;
  /** Pods with `terms` required anti-affinity terms each, which match nothing. */
  readonly spread: number;
  /** Pods with `terms` terms each, which match every pod of the tenant. */
  readonly crowding: number;
  readonly terms: number;
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** Labels that all pods of the tenant have, and every pair of them: 190 selectors that match the same pods. */
const keys = range(20).map((number) => `part-${number}`);
const pairs = keys.flatMap((one, index) => keys.slice(index + 1).map((other) => [one, other] as const));
const hostileLabels = Object.fromEntries(keys.map((key) => [key, 'x']));

/** How many are created in parallel. */
const atOnce = 20;

export async function deployHostile(
  story: Story,
  { nodes, scheduled, spread, crowding, terms }: Tenant,
): Promise<void> {
  await story.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: tenantNamespace } });
  await story.until('the namespace has its account', () => story.read('ServiceAccount', `${tenantNamespace}/default`));
  const nodeOf = (index: number): string => nodes[index % nodes.length] ?? '';
  const termPods = (kind: string, count: number, selectorsOf: (pod: number) => readonly object[]): object[] =>
    range(count).map((index) => spreadPod(`${kind}-${index}`, nodeOf(index), selectorsOf(index)));
  const pods = [
    ...range(scheduled).map((index) => scheduledPod(index, nodeOf(index))),
    ...termPods('spread', spread, (pod) => range(terms).map((term) => exists(`unique-${pod}-${term}`))),
    ...termPods('crowding', crowding, (pod) => range(terms).map((term) => ofTenant(pod * terms + term))),
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

/** No two have the same schedule, so that nothing can be shared. */
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

const exists = (key: string): object => ({ matchExpressions: [{ key, operator: 'Exists' }] });
/** Matches every pod of the tenant, with a different pair of labels each time. */
const ofTenant = (number: number): object => {
  const [one, other] = pairs[number % pairs.length] ?? ['', ''];
  return { matchLabels: { [one]: 'x', [other]: 'x' } };
};

function spreadPod(name: string, nodeName: string, selectors: readonly object[]): object {
  const required = selectors.map((labelSelector) => ({
    topologyKey: 'topology.kubernetes.io/zone',
    namespaceSelector: {},
    labelSelector,
  }));
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: required };
  return pod(name, {}, { nodeName, affinity: { podAntiAffinity } });
}

const pod = (name: string, annotations: object, spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: tenantNamespace, labels: hostileLabels, annotations },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'main', image: 'example.com/main:1', resources: { requests: { cpu: '1m', memory: '1Mi' } } }],
    ...spec,
  },
});
