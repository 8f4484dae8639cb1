// What does a PodDisruptionBudget allow, and for which pods (E10)?
import type { Pdb } from '../cluster/model.ts';
import type { Selector } from '../cluster/selector.ts';
import { show } from './findings.ts';
import { readMetadata, readNamespace } from './metadata.ts';
import { defined, orList, type Reader } from './reader.ts';
import { readLabelSelector } from './requirement.ts';

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
    // A status nobody has written yet allows nothing, and so does a PDB of which nobody can say whom it means.
    disruptionsAllowed: fault ? 0 : allowed,
    expectedPods: object.map('status').whole('expectedPods', 0, maxInt32),
    alwaysAllowUnready: readPolicy(spec) === 'AlwaysAllow',
    fault,
  });
}

const maxInt32 = 2 ** 31 - 1;

/** Not an error: nothing is allowed, which is safe, and the PDB itself is sound. */
function readAllowed(status: Reader): number {
  const allowed = status.raw('disruptionsAllowed') ?? 0;
  if (typeof allowed === 'number' && allowed <= maxInt32) return Math.max(0, Math.floor(allowed));
  const message = `${show(allowed)} is no number of pods, so none may go. Leave the status to Kubernetes.`;
  status.fault('disruptionsAllowed', message, 'warning');
  return 0;
}

/** Kubernetes wants a policy that is not known to be read as the default. */
function readPolicy(spec: Reader): unknown {
  const policy = spec.raw('unhealthyPodEvictionPolicy');
  if (policy !== undefined && !policies.some((known) => known === policy)) {
    const message = `${show(policy)} is no policy known here. Use ${orList(policies)}.`;
    spec.fault('unhealthyPodEvictionPolicy', message, 'warning');
  }
  return policy;
}

const policies = ['IfHealthyBudget', 'AlwaysAllow'];

/** An absent selector means no pod, an empty one every pod of the namespace. */
const readSelector = (spec: Reader): Selector =>
  spec.has('selector') ? readLabelSelector(spec, 'selector') : { requirements: [], nothing: true };
