// Where do the fields of a node stand in a Provisioner, and where in a NodePool?
import { valueAt } from '../edit/value.ts';
import { joinPath } from '../path.ts';
import { isMap, type Json } from '../reader.ts';
import { type Draft, isGiven } from './draft.ts';
import { kubeletStays } from './nodeClass.ts';

interface Place {
  readonly path: string;
  readonly fields: Json;
}

/** v1alpha5 has them in `spec`; the deprovisioning document gathers them under `template`. */
function templateOf(object: Json): Place {
  return isGiven(valueAt(object, ['spec', 'template'])) ? placeAt(object, 'spec.template') : placeAt(object, 'spec');
}

export function templateSpecOf(object: Json): Place {
  const { path, fields } = templateOf(object);
  return isGiven(fields.spec) ? placeAt(object, `${path}.spec`) : { path, fields };
}

function placeAt(object: Json, path: string): Place {
  const fields = valueAt(object, path.split('.'));
  return { path, fields: isMap(fields) ? fields : {} };
}

/** What a field of a Provisioner is called in the template of a NodePool. Of two names the later one here counts. */
const specFields: readonly (readonly [old: string, now: string])[] = [
  ['requirements', 'requirements'],
  ['taints', 'taints'],
  ['startupTaints', 'startupTaints'],
  ['terminationGracePeriod', 'terminationGracePeriod'],
  ['providerRef', 'nodeClassRef'],
  ['nodeClassRef', 'nodeClassRef'],
  ['kubeletConfiguration', 'kubelet'],
  ['kubelet', 'kubelet'],
];

export function moveTemplate(draft: Draft, object: Json): void {
  const template = templateOf(object);
  if (template.path !== 'spec') noteUnread(draft, placeAt(object, 'spec').fields);
  const metadata = isGiven(template.fields.metadata) ? placeAt(object, `${template.path}.metadata`) : template;
  for (const key of ['labels', 'annotations'])
    moveField(draft, [joinPath(metadata.path, key), `spec.template.metadata.${key}`], metadata.fields[key]);
  const spec = templateSpecOf(object);
  for (const [old, now] of specFields) {
    const at = joinPath(spec.path, old);
    if (old !== now && isGiven(spec.fields[old]) && isGiven(spec.fields[now])) {
      draft.remove(at);
      draft.say(at, `removed: ${now} is given too and wins`);
    } else moveField(draft, [at, `spec.template.spec.${now}`], spec.fields[old]);
    if (now === 'kubelet' && isGiven(spec.fields[old])) draft.say(at, kubeletStays);
  }
}

function noteUnread(draft: Draft, spec: Json): void {
  for (const key of ['labels', 'annotations', ...specFields.map(([old]) => old)])
    if (isGiven(spec[key])) draft.say(`spec.${key}`, 'left as it is: beside spec.template nobody reads it. Remove it');
}

function moveField(draft: Draft, [from, to]: readonly [from: string, to: string], value: unknown): void {
  if (!isGiven(value) || from === to) return;
  draft.move(from, to);
  draft.say(from, `moved to ${to}`);
}
