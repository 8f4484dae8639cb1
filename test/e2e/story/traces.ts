// All objects of a cluster, of every served kind, and on which of them Lull left a mark, in comparable form.
import type { Api } from '../../cluster/api.ts';
import type { KubeObject } from './hand.ts';

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

interface Group {
  readonly preferredVersion: { readonly groupVersion: string };
}

export interface Found {
  /** As `Node/n1`, or `Pod/default/p1`. */
  readonly key: string;
  readonly uid: string;
  readonly object: KubeObject;
}

/** All objects of all kinds except events, which expire, and ComponentStatus, which is not stored. */
export async function everything(api: Api): Promise<readonly Found[]> {
  const { groups } = (await api.must({ method: 'GET', path: '/apis' })) as unknown as { groups: Group[] };
  const roots = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const found: Found[] = [];
  for (const root of roots) {
    const { resources } = (await api.must({ method: 'GET', path: root })) as unknown as { resources: Resource[] };
    for (const { name, kind, verbs } of resources) {
      if (name.includes('/') || !verbs.includes('list') || /^(Event|ComponentStatus)$/.test(kind)) continue;
      const { items } = (await api.must({ method: 'GET', path: `${root}/${name}` })) as unknown as {
        items: KubeObject[];
      };
      found.push(...items.map((object) => ({ key: keyOf(kind, object), uid: object.metadata.uid ?? '', object })));
    }
  }
  return found;
}

const keyOf = (kind: string, { metadata }: KubeObject): string =>
  [kind, metadata.namespace, metadata.name].filter(Boolean).join('/');

/** Anywhere in the object: a name, an annotation, a taint, a status, or a field manager (managedFields). `lull-e2e-NAME` is the context of the cluster itself. */
export const tracesIn = (all: readonly Found[]): string[] =>
  all
    .filter(({ object }) => /lull/i.test(JSON.stringify(object).replaceAll(/\blull-e2e-[a-z0-9-]+/g, '')))
    .map(({ key }) => key)
    .sort();

/** What Lull might have changed on an object that it does not own; for a pool without the hash of its template, which a story changes. */
export function marksOf({ key, object }: Found): unknown {
  const { labels = {}, finalizers = [] } = object.metadata;
  const { 'karpenter.sh/nodepool-hash': hash, ...others } = object.metadata.annotations ?? {};
  const annotations = key.startsWith('NodePool/') ? others : { ...others, hash };
  const { taints = [], unschedulable = false } = object.spec ?? {};
  return { labels, annotations, finalizers, taints, unschedulable };
}
