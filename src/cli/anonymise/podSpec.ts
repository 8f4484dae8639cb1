// What may others know of what a pod asks of its surroundings? Which rules, not whom they name.
import { isMap, type Json } from '../../kinds/reader.ts';
import { each, fields, keep, labelKey, labels, name, type Rule, requirements, resources, selector } from './rules.ts';

export const container: Rule = fields({
  name: name('container'),
  resources: fields({ requests: resources }),
  restartPolicy: keep,
  ports: fields({ hostPort: keep, containerPort: keep, hostIP: keep, protocol: keep }),
});

export const containerStatus: Rule = fields({
  name: name('container'),
  resources: fields({ requests: resources }),
  allocatedResources: resources,
});

export const nodeTerms: Rule = fields({
  matchExpressions: requirements,
  matchFields: fields({ key: keep, operator: keep, values: each(name('node')) }),
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
  preferredDuringSchedulingIgnoredDuringExecution: fields({ weight: keep, podAffinityTerm: podTerm }),
});

export const affinity: Rule = fields({
  nodeAffinity: fields({
    requiredDuringSchedulingIgnoredDuringExecution: fields({ nodeSelectorTerms: nodeTerms }),
    preferredDuringSchedulingIgnoredDuringExecution: fields({ weight: keep, preference: nodeTerms }),
  }),
  podAffinity,
  podAntiAffinity: podAffinity,
});

export const spread: Rule = fields({
  topologyKey: labelKey,
  maxSkew: keep,
  minDomains: keep,
  whenUnsatisfiable: keep,
  labelSelector: selector,
  matchLabelKeys: each(labelKey),
  nodeAffinityPolicy: keep,
  nodeTaintsPolicy: keep,
});

export const volumes: Rule = fields({
  persistentVolumeClaim: fields({ claimName: name('volumeclaim') }),
  ephemeral: labels,
});

/** The claim of an ephemeral volume is called after pod and volume. Those get other names here, so the claim is named outright. */
export function withNamedClaims(pod: unknown): unknown {
  if (!isMap(pod) || !isMap(pod.spec) || !isMap(pod.metadata) || !Array.isArray(pod.spec.volumes)) return pod;
  const owner = pod.metadata.name;
  const named = (volume: unknown): unknown => {
    if (!isMap(volume) || !isMap(volume.ephemeral) || typeof volume.name !== 'string') return volume;
    return { name: volume.name, persistentVolumeClaim: { claimName: `${String(owner)}-${volume.name}` } };
  };
  return { ...pod, spec: { ...(pod.spec as Json), volumes: pod.spec.volumes.map(named) } };
}
