// What is asked of a node? The drifting fields of I1, as pools, claims and older Provisioners write them.
import type { NodeClassRef, Taint, Template } from '../cluster/model.ts';
import type { Requirement, TextMap } from '../cluster/selector.ts';
import type { Duration } from '../time/instant.ts';
import { defined, type Reader } from './reader.ts';
import { allOperators, readRequirement } from './requirement.ts';

/** The fields of a template that stand under other names, or elsewhere, in older versions. */
export interface TemplateParts {
  /** Where taints, requirements and the like stand. */
  readonly spec: Reader;
  readonly labels: TextMap;
  readonly annotations: TextMap;
  readonly expireAfter: Duration | 'Never' | undefined;
}

export function readTemplate({ spec, labels, annotations, expireAfter }: TemplateParts): Template {
  return defined<Template>({
    labels,
    annotations,
    taints: readTaints(spec, 'taints'),
    startupTaints: readTaints(spec, 'startupTaints'),
    requirements: readRequirements(spec),
    nodeClassRef: readNodeClass(spec),
    expireAfter,
    terminationGracePeriod: spec.duration('terminationGracePeriod'),
    kubelet: readKubelet(spec),
  });
}

/** Only compared, so that its fields may be what they like. */
function readKubelet(spec: Reader): unknown {
  const key = spec.has('kubelet') ? 'kubelet' : 'kubeletConfiguration';
  return spec.has(key) ? spec.map(key).values : undefined;
}

export function readTaints(spec: Reader, key: string): Taint[] {
  return spec.maps(key).map((taint) => {
    return defined({
      key: taint.text('key') ?? '',
      value: taint.text('value'),
      effect: taint.text('effect') ?? '',
      timeAdded: taint.text('timeAdded'),
    });
  });
}

function readRequirements(spec: Reader): Requirement[] {
  return spec.maps('requirements').flatMap((expression) => {
    const requirement = readRequirement(expression, allOperators);
    const minValues = expression.whole('minValues', 1, mostMinValues);
    return requirement ? [{ ...requirement, ...(minValues !== undefined && { minValues }) }] : [];
  });
}

/** As Karpenter's CRD has it. */
const mostMinValues = 50;

/** v1 names the group; v1beta1 has it in an apiVersion; a Provisioner calls the whole a providerRef. */
function readNodeClass(spec: Reader): NodeClassRef | undefined {
  const key = spec.has('nodeClassRef') ? 'nodeClassRef' : 'providerRef';
  if (!spec.has(key)) return undefined;
  const reference = spec.map(key);
  const apiVersion = reference.text('apiVersion') ?? '';
  return {
    group: reference.text('group') ?? apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0)),
    kind: reference.text('kind') ?? '',
    name: reference.text('name') ?? '',
  };
}
