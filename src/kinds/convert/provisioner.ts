// How is an older Provisioner written today (A7)? As a NodePool, with everything said that it left unsaid.
import { valueAt } from '../edit/value.ts';
import { joinPath } from '../path.ts';
import { isMap, type Json } from '../reader.ts';
import { readObject } from '../readObject.ts';
import { respellAnnotation } from './annotation.ts';
import { respellBudgets } from './budget.ts';
import { type Draft, isGiven } from './draft.ts';
import { respellProviderRef } from './nodeClass.ts';
import { moveTemplate, templateSpecOf } from './template.ts';
import { moveTtls } from './ttls.ts';

/** In place: names and values. */
export function respellProvisioner(draft: Draft, object: Json): void {
  respellAnnotation(draft, object);
  respellBudgets(draft, valueAt(object, ['spec', 'disruption', 'budgets']), 'spec.disruption.budgets');
  if (faultOf(object) !== undefined) return;
  const { path, fields } = templateSpecOf(object);
  respellProviderRef(draft, fields.providerRef, joinPath(path, 'providerRef'));
}

/** From place to place. */
export function moveProvisioner(draft: Draft, object: Json): void {
  const fault = faultOf(object);
  if (fault !== undefined) {
    draft.say('kind', `left as it is: ${fault}`);
    return;
  }
  draft.set('apiVersion', 'karpenter.sh/v1');
  draft.set('kind', 'NodePool');
  draft.say('kind', 'the Provisioner is now a NodePool of karpenter.sh/v1', {
    behaviour: noClaims,
    karpenter: ownBudgets,
  });
  moveTemplate(draft, object);
  moveTtls(draft, object);
  moveLimits(draft, object);
  noteUnread(draft, object);
  if (isGiven(valueAt(object, ['spec', 'provider'])))
    draft.say(
      'spec.provider',
      'left as it is: v1 has no such field. Write an EC2NodeClass and name it in nodeClassRef',
    );
}

const noClaims =
  'Nodes that a Provisioner made have no NodeClaim, and under a NodePool Lull leaves nodes without one alone. Windows and pods that select karpenter.sh/provisioner-name must select karpenter.sh/nodepool';
const ownBudgets = 'Karpenter reads the budgets of a NodePool itself, and 10% where there are none';

/** What a Provisioner does not say clearly cannot be said in other words. Its budgets keep their words. */
function faultOf(object: Json): string | undefined {
  const read = readObject(object);
  const faults = read.kind === 'ignored' ? [] : read.faults;
  const fault = faults.find(
    ({ path, severity }) =>
      severity === 'error' && /^(metadata\.name|spec)\b/.test(path) && !path.startsWith('spec.disruption'),
  );
  return fault && `${fault.path}: ${fault.message}`;
}

/** What stands where a NodePool has a field and a Provisioner has none. */
const unread: readonly (readonly [path: string, fact: string])[] = [
  ['spec.disruption.consolidationPolicy', 'consolidationPolicy'],
  ['spec.disruption.consolidateAfter', 'consolidateAfter'],
  ['spec.disruption.expireAfter', 'expireEarlyAfter'],
  ['spec.disruption.repairAfter', 'repairAfter'],
  ['spec.consolidationPolicy', 'consolidationPolicy'],
  ['spec.consolidateAfter', 'consolidateAfter'],
];

function noteUnread(draft: Draft, object: Json): void {
  const written = new Set(draft.edits.map((edit) => ('move' in edit ? edit.move : edit.path)));
  const behaviour = 'A Provisioner has no such field and Lull did not read it. Now it holds';
  for (const [path, fact] of unread) {
    if (isGiven(valueAt(object, path.split('.'))) && !written.has(path))
      draft.say(path, 'left as it is', { behaviour, facts: [fact, 'fault'] });
  }
  const limits = valueAt(object, ['spec', 'limits']);
  const resources = isMap(limits) && isMap(limits.resources) ? limits.resources : {};
  if (isMap(limits) && Object.keys(limits).some((key) => key !== 'resources' && !Object.hasOwn(resources, key)))
    draft.say('spec.limits', 'left as it is', { behaviour, facts: ['limits', 'fault'] });
}

/** `limits.resources.cpu` is `limits.cpu`. */
function moveLimits(draft: Draft, object: Json): void {
  const limits = valueAt(object, ['spec', 'limits']);
  const resources = isMap(limits) ? limits.resources : undefined;
  if (!isMap(limits) || !isMap(resources)) return;
  for (const [name, amount] of Object.entries(resources)) {
    const to = joinPath('spec.limits', name);
    if (Object.hasOwn(limits, name)) draft.set(to, amount);
    else draft.move(joinPath('spec.limits.resources', name), to);
  }
  draft.remove('spec.limits.resources');
  draft.say('spec.limits.resources', 'moved to spec.limits');
}
