// How are the rules of the older documents written today that are objects of their own: MaintenanceWindow and PodDisruptionSchedule?
import { label } from '../../cluster/names.ts';
import { valueAt } from '../edit/value.ts';
import { joinPath } from '../path.ts';
import { isMap, type Json } from '../reader.ts';
import type { Draft } from './draft.ts';

const today = 'karpenter.sh/v1alpha1';

/** The pods document has its schedule in karpenter.sh/v1, where there is no such kind. */
export function respellVersion(draft: Draft, { apiVersion, kind }: Json): void {
  if (apiVersion === today || typeof apiVersion !== 'string') return;
  draft.set('apiVersion', today);
  draft.say('apiVersion', `${apiVersion} has no ${kind}; it is of ${today}`);
}

/** The label that a Provisioner gave to its nodes is not on those of a NodePool. */
export function respellSelector(draft: Draft, object: Json): void {
  const path = 'spec.selector.matchExpressions';
  const expressions = valueAt(object, path.split('.'));
  if (!Array.isArray(expressions)) return;
  expressions.forEach((expression, i) => {
    if (!isMap(expression) || expression.key !== label.provisioner) return;
    const at = `${joinPath(path, i)}.key`;
    draft.set(at, label.pool);
    draft.say(at, `${label.provisioner} is now ${label.pool}`, {
      behaviour: `It selects the nodes of NodePools. Nodes that carry only ${label.provisioner} are no longer selected`,
      facts: ['selector'],
    });
  });
}
