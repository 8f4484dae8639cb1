// PodDisruptionBudgets: which pods they select and how many disruptions they allow (E10).

import { defined } from '../../cluster/defined.ts';
import type { Pdb } from '../../cluster/model.ts';
import type { Selector } from '../../cluster/selector.ts';
import { show } from './findings.ts';
import { readMetadata, readNamespace } from './metadata.ts';
import { maxInt32, orList, type Reader } from './reader.ts';
import { readLabelSelector } from './selectors.ts';

export function readPodDisruptionBudget(object: Reader): Pdb {
  const { reader, name } = readMetadata(object);
  const spec = object.map('spec');
  const allowed = readAllowed(object.map('status'));
  const selector = readSelector(spec);
  const fault = object.findings.error;
  return defined<Pdb>({
    namespace: readNamespace(reader),
    name,
    selector,
    // A PDB without a status, or with an invalid selector, allows no disruption.
    disruptionsAllowed: fault ? 0 : allowed,
    expectedPods: object.map('status').whole('expectedPods', 0, maxInt32),
    alwaysAllowUnready: readPolicy(spec) === 'AlwaysAllow',
    fault,
  });
}

/** An invalid number is a warning, not an error: no disruption is allowed, which is safe, and the spec is valid. */
function readAllowed(status: Reader): number {
  const allowed = status.raw('disruptionsAllowed') ?? 0;
  if (typeof allowed === 'number' && allowed <= maxInt32) return Math.max(0, Math.floor(allowed));
  const message = `${show(allowed)} is not a valid number of pods, so no pod may be evicted. Do not edit the status: Kubernetes writes it.`;
  status.fault('disruptionsAllowed', message, 'warning');
  return 0;
}

/** Kubernetes requires that an unknown policy counts as the default. */
function readPolicy(spec: Reader): unknown {
  const policy = spec.raw('unhealthyPodEvictionPolicy');
  if (policy !== undefined && !policies.some((known) => known === policy)) {
    const message = `${show(policy)} is not a known policy. Use ${orList(policies)}.`;
    spec.fault('unhealthyPodEvictionPolicy', message, 'warning');
  }
  return policy;
}

const policies = ['IfHealthyBudget', 'AlwaysAllow'];

/** An absent selector selects no pod, an empty one every pod in the namespace. */
const readSelector = (spec: Reader): Selector =>
  spec.has('selector') ? readLabelSelector(spec, 'selector') : { requirements: [], nothing: true };
