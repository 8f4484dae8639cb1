// How is a NodePool of the older documents, or of v1beta1, written today?
import { valueAt } from '../edit/value.ts';
import { isMap, type Json } from '../reader.ts';
import { respellAnnotation } from './annotation.ts';
import { respellBudgets } from './budget.ts';
import { type Draft, isGiven } from './draft.ts';
import { kubeletStays, respellNodeClass } from './nodeClass.ts';
import { respellPolicy } from './policy.ts';
import { moveReasonBlocks, respellReasonBlocks } from './reasonBlocks.ts';

/** In place: names and values. */
export function respellNodePool(draft: Draft, object: Json): void {
  const disruption = valueAt(object, ['spec', 'disruption']);
  respellAnnotation(draft, object);
  for (const path of ['spec', 'spec.disruption']) respellPolicy(draft, valueAt(object, path.split('.')), path);
  if (!isMap(disruption)) return;
  respellBudgets(draft, disruption.budgets, 'spec.disruption.budgets');
  respellReasonBlocks(draft, disruption);
}

/** From place to place. */
export function moveNodePool(draft: Draft, object: Json): void {
  const disruption = valueAt(object, ['spec', 'disruption']);
  movePolicies(draft, object);
  if (object.apiVersion === 'karpenter.sh/v1beta1') raiseVersion(draft, object);
  respellNodeClass(draft, valueAt(object, nodeClassPath.split('.')), nodeClassPath);
  if (isMap(disruption)) moveReasonBlocks(draft, object, disruption);
}

const nodeClassPath = 'spec.template.spec.nodeClassRef';

/** C2: the controls document has them directly under spec. */
function movePolicies(draft: Draft, object: Json): void {
  const spec = valueAt(object, ['spec']);
  if (!isMap(spec)) return;
  for (const key of ['consolidationPolicy', 'consolidateAfter']) {
    const from = `spec.${key}`;
    const to = `spec.disruption.${key}`;
    if (!isGiven(spec[key])) continue;
    if (isGiven(valueAt(spec, ['disruption', key]))) {
      draft.remove(from);
      draft.say(from, `removed: ${to} is given too and wins`);
    } else {
      draft.move(from, to);
      draft.say(from, `moved to ${to}`);
    }
  }
}

const hardDeadline =
  'Karpenter v1 takes a node away by force at its expireAfter, whatever budgets say; v1beta1 did not. Lull still asks budgets and windows, and beside Karpenter begins earlier';

function raiseVersion(draft: Draft, object: Json): void {
  draft.set('apiVersion', 'karpenter.sh/v1');
  draft.say('apiVersion', 'karpenter.sh/v1beta1 is now karpenter.sh/v1', { karpenter: hardDeadline });
  moveExpiry(draft, object);
  if (isGiven(valueAt(object, ['spec', 'template', 'spec', 'kubelet']))) {
    draft.say('spec.template.spec.kubelet', kubeletStays);
  }
}

function moveExpiry(draft: Draft, object: Json): void {
  const from = 'spec.disruption.expireAfter';
  const to = 'spec.template.spec.expireAfter';
  const disruption = valueAt(object, ['spec', 'disruption']);
  const value = isMap(disruption) ? disruption.expireAfter : undefined;
  const there = valueAt(object, to.split('.'));
  if (!isGiven(value)) {
    if (!isGiven(there)) return;
    const behaviour = 'v1beta1 has no such field here, so it was not read and nodes expired after 720h. Now it holds';
    draft.say(to, 'left as it is', { behaviour, facts: ['template'] });
  } else if (isGiven(there)) {
    draft.set(to, value);
    draft.remove(from);
    draft.say(from, `moved to ${to}, in place of what v1beta1 did not read there`);
  } else {
    draft.move(from, to);
    const filled = [...draft.targets()].some((path) => path.startsWith('spec.disruption.'));
    if (isMap(disruption) && Object.keys(disruption).length === 1 && !filled) draft.remove('spec.disruption');
    draft.say(from, `moved to ${to}`);
  }
}
