// Rules for what a pod asks of its surroundings: which rules there are, not whom they name.
import { isMap, type Json } from '../../kinds/reader.ts';
import { labelKey, labels, requirements, resources, selector } from './labels.ts';
import { each, fields, name, nameUnless, oneOf, type Rule } from './rules.ts';
import { flag, number } from './values.ts';

/** The host as a whole. */
const everyAddress = new Set(['0.0.0.0', '::']);

const container: Rule = fields({
  name: name('container'),
  resources: fields({ requests: resources }),
  restartPolicy: oneOf('Always', 'Never', 'OnFailure'),
  ports: fields({
    hostPort: number,
    containerPort: number,
    hostIP: nameUnless('address', everyAddress),
    protocol: oneOf('TCP', 'UDP', 'SCTP'),
  }),
});

export const containerStatus: Rule = fields({
  name: name('container'),
  resources: fields({ requests: resources }),
  allocatedResources: resources,
});

export const nodeTerms: Rule = fields({
  matchExpressions: requirements,
  matchFields: fields({
    key: oneOf('metadata.name'),
    operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: each(name('node')),
  }),
});

const podTerm: Rule = fields({
  topologyKey: labelKey,
  labelSelector: selector,
  namespaces: each(name('namespace')),
  namespaceSelector: selector,
  matchLabelKeys: each(labelKey),
  mismatchLabelKeys: each(labelKey),
});

const podAffinity: Rule = fields({
  requiredDuringSchedulingIgnoredDuringExecution: podTerm,
  preferredDuringSchedulingIgnoredDuringExecution: fields({ weight: number, podAffinityTerm: podTerm }),
});

const affinity: Rule = fields({
  nodeAffinity: fields({
    requiredDuringSchedulingIgnoredDuringExecution: fields({ nodeSelectorTerms: nodeTerms }),
    preferredDuringSchedulingIgnoredDuringExecution: fields({ weight: number, preference: nodeTerms }),
  }),
  podAffinity,
  podAntiAffinity: podAffinity,
});

const policy: Rule = oneOf('Honor', 'Ignore');

export const spread: Rule = fields({
  topologyKey: labelKey,
  maxSkew: number,
  minDomains: number,
  whenUnsatisfiable: oneOf('DoNotSchedule', 'ScheduleAnyway'),
  labelSelector: selector,
  matchLabelKeys: each(labelKey),
  nodeAffinityPolicy: policy,
  nodeTaintsPolicy: policy,
});

/** What pods and the templates of DaemonSets have in common. */
export const placement = {
  nodeSelector: labels,
  affinity,
  resources: fields({ requests: resources }),
  overhead: resources,
  containers: container,
  initContainers: container,
  hostNetwork: flag,
};

export const volumes: Rule = fields({
  persistentVolumeClaim: fields({ claimName: name('volumeclaim') }),
  ephemeral: fields({}),
});

/** The claim of an ephemeral volume is called after pod and volume. Those get other names here, so the claim is named outright. */
export function withNamedClaims(pod: unknown): unknown {
  if (!isMap(pod) || !isMap(pod.spec) || !isMap(pod.metadata) || !Array.isArray(pod.spec.volumes)) return pod;
  const owner = pod.metadata.name;
  const named = (volume: unknown): unknown => {
    if (!isMap(volume) || !isMap(volume.ephemeral) || typeof volume.name !== 'string') return volume;
    return { name: volume.name, persistentVolumeClaim: { claimName: `${String(owner)}-${volume.name}` } };
  };
  return { ...pod, spec: { ...pod.spec, volumes: pod.spec.volumes.map(named) } } satisfies Json;
}
