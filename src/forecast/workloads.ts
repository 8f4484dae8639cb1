// Who would make a pod again that is evicted? Its owner, which a snapshot does not hold: it is made up from the pods it has.
import type { Pod, PodTemplate, Workload } from '../sim/actors/manifest.ts';
import { hashOf } from '../sim/actors/workloads/podOf.ts';
import { isDeleting, type KubeObject, type OwnerReference } from '../sim/kubeObject.ts';

export interface Staffed {
  readonly workloads: readonly KubeObject[];
  readonly pods: readonly KubeObject[];
}

const revisionLabel = 'controller-revision-hash';
const makers = new Set(['ReplicaSet', 'StatefulSet', 'DaemonSet']);

/** Pods of others, such as Jobs, are not made again: nobody can say when the next would come. */
export function staff(pods: readonly KubeObject[], known: ReadonlySet<string>): Staffed {
  const groups = Map.groupBy(pods, (pod) => makerOf(pod)?.uid ?? '');
  const workloads: KubeObject[] = [];
  const staffed = [...groups].flatMap(([uid, its]) => {
    const maker = its[0] && makerOf(its[0]);
    if (!maker || uid === '' || known.has(uid)) return its;
    const workload = workloadOf(maker, its);
    workloads.push(workload);
    return maker.kind === 'StatefulSet' ? its.map((pod) => ofRevision(pod, workload)) : its;
  });
  return { workloads, pods: staffed };
}

const makerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller, kind }) => controller && makers.has(kind));

function workloadOf({ apiVersion, kind, name, uid }: OwnerReference, pods: readonly KubeObject[]): Workload {
  const standing = pods.filter((pod) => !isDeleting(pod));
  const pattern = (standing[0] ?? pods[0]) as Pod;
  const { nodeName: _, ...spec } = pattern.spec ?? {};
  const { [revisionLabel]: __, ...labels } = pattern.metadata.labels ?? {};
  const template: PodTemplate = {
    metadata: { labels, ...(pattern.metadata.annotations && { annotations: pattern.metadata.annotations }) },
    spec,
  };
  const namespace = pattern.metadata.namespace ?? 'default';
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid },
    spec: {
      ...(kind !== 'DaemonSet' && { replicas: Math.max(1, standing.length) }),
      ...(kind === 'StatefulSet' && { podManagementPolicy: 'Parallel' }),
      selector: { matchLabels: labels },
      template,
    },
  } as Workload;
}

/** Else its controller would take its pods for old ones, and renew them. */
function ofRevision(pod: KubeObject, { metadata, spec }: Workload): KubeObject {
  const revision = `${metadata.name}-${hashOf(spec?.template ?? {})}`;
  return { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [revisionLabel]: revision } } };
}
