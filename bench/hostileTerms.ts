// Pods whose affinity terms, PodDisruptionBudgets, resources and the like cost time and memory (issue 15, item 2).
import { type HostileRow, hostilePod } from './hostileRow.ts';

type Plain = Record<string, unknown>;

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
const hostname = 'kubernetes.io/hostname';
const everywhere = { topologyKey: hostname, namespaceSelector: {} };

const is = (id: string): Plain => ({ matchLabels: { app: id } });
const isNot = (id: string): Plain => ({ matchExpressions: [{ key: 'app', operator: 'NotIn', values: [id] }] });
const hasNot = (id: string): Plain => ({ matchExpressions: [{ key: id, operator: 'DoesNotExist' }] });

interface Size {
  readonly pods: number;
  /** Of each pod. */
  readonly terms: number;
}

const nodes = 250;

/** `specOf` gets a text that no other term has. */
function row(name: string, { pods, terms }: Size, specOf: (ids: readonly string[]) => Plain): HostileRow {
  return {
    name: `${pods.toLocaleString('en')} pods × ${terms}: ${name}`,
    nodes,
    *objects() {
      for (let index = 0; index < pods; index++) {
        const ids = Array.from({ length: terms }, (_, term) => `t-${index}-${term}`);
        // The hostile pods are on a fifth of the nodes.
        yield hostilePod({ index, node: index % (nodes / 5), spec: specOf(ids) });
      }
    },
  };
}

const apart = (selector: (id: string) => Plain) => (ids: readonly string[]) => ({
  affinity: { podAntiAffinity: { [required]: ids.map((id) => ({ ...everywhere, labelSelector: selector(id) })) } },
});
const near = (selector: (id: string) => Plain) => (ids: readonly string[]) => ({
  affinity: { podAffinity: { [required]: ids.map((id) => ({ ...everywhere, labelSelector: selector(id) })) } },
});
const likes = (ids: readonly string[]): Plain => ({
  affinity: {
    podAntiAffinity: {
      [preferred]: ids.map((id) => ({ weight: 1, podAffinityTerm: { ...everywhere, labelSelector: isNot(id) } })),
    },
  },
});
const racks = (ids: readonly string[]): Plain => ({
  affinity: {
    podAntiAffinity: {
      [required]: ids.map((id) => ({ topologyKey: id, namespaceSelector: {}, labelSelector: isNot(id) })),
    },
  },
});
const spread = (ids: readonly string[]): Plain => ({
  topologySpreadConstraints: ids.map((id) => ({
    maxSkew: 1000,
    topologyKey: hostname,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: isNot(id),
  })),
});
const nodeAffinity = (ids: readonly string[]): Plain => ({
  affinity: { nodeAffinity: { [required]: { nodeSelectorTerms: ids.map((id) => hasNot(id)) } } },
});
const resources = (ids: readonly string[]): Plain => ({
  containers: [{ name: 'c', resources: { requests: Object.fromEntries(ids.map((id) => [`example.com/${id}`, '0'])) } }],
});
const ports = (ids: readonly string[]): Plain => ({
  containers: [{ name: 'c', ports: ids.map((id) => ({ containerPort: 80, hostPort: portOf(id) })) }],
});
const portOf = (id: string): number => {
  const [, pod = 0, term = 0] = id.split('-').map(Number);
  return 1 + ((pod * 20 + term) % 65_535);
};
const claims = (ids: readonly string[]): Plain => ({
  volumes: ids.map((id) => ({ name: id, persistentVolumeClaim: { claimName: id } })),
});
const tolerations = (ids: readonly string[]): Plain => ({
  tolerations: ids.map((id) => ({ key: id, operator: 'Exists' })),
});

const twenty: Size = { pods: 1000, terms: 20 };

const budgets: HostileRow = {
  name: '2,000 PodDisruptionBudgets of 5,000 pods',
  nodes,
  *objects() {
    for (let i = 0; i < 2000; i++) {
      yield {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { namespace: 'tenant', name: `budget-${i}` },
        spec: { selector: isNot(`none-${i}`), maxUnavailable: 1 },
        status: { disruptionsAllowed: 1 },
      };
    }
    for (let index = 0; index < 5000; index++) yield hostilePod({ index, node: index % (nodes / 5) });
  },
};

export const termRows: readonly HostileRow[] = [
  row('apart from all but one value', twenty, apart(isNot)),
  row('apart from all but one value', { pods: 1500, terms: 20 }, apart(isNot)),
  row('apart from all but one value', { pods: 5000, terms: 1 }, apart(isNot)),
  row('apart from all without a key', twenty, apart(hasNot)),
  row('apart from one value', twenty, apart(is)),
  row('apart from all, in domains of its own', twenty, racks),
  row('near to all but one value', twenty, near(isNot)),
  row('rather apart from all but one value', twenty, likes),
  row('spread of all but one value', twenty, spread),
  row('node affinity of its own keys', twenty, nodeAffinity),
  row('resources of its own', twenty, resources),
  row('host ports', twenty, ports),
  row('volume claims', twenty, claims),
  row('tolerations', twenty, tolerations),
  budgets,
];
