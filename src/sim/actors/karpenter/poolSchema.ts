// [e]: what does the schema of NodePools keep? All of it, until somebody applies a CRD without the fields that Lull adds: from then on
// the next write of a pool erases them. On a real server they are hidden at once, too, from whoever lists the pool again.
import { disruptionFields, without, withoutAdded } from '../../../kinds/addedFields.ts';
import { poolDefinitionName } from '../../../kinds/poolDefinition.ts';
import { readObject } from '../../../kinds/readObject.ts';
import type { Json, KubeObject } from '../../kubeObject.ts';
import type { Objects } from '../../objects.ts';

export function keepPoolSchema(objects: Objects): void {
  let keepsFields = true;
  const learn = (definition: KubeObject | undefined): void => {
    const read = readObject(definition);
    keepsFields = read.kind !== 'CustomResourceDefinition' || read.record.keepsFields;
  };
  objects.onChange(({ object, type }) => {
    if (object.kind === 'CustomResourceDefinition' && object.metadata.name === poolDefinitionName)
      learn(type === 'DELETED' ? undefined : object);
  });
  objects.prune = (object) => (object.kind === 'NodePool' && !keepsFields ? pruned(object) : object);
}

function pruned(pool: KubeObject): KubeObject {
  const disruption = pool.spec?.disruption as Json | undefined;
  if (!disruption) return pool;
  const rest = without(disruption, disruptionFields);
  const kept = rest.budgets === undefined ? rest : { ...rest, budgets: withoutAdded(rest.budgets) };
  return { ...pool, spec: { ...pool.spec, disruption: kept } };
}
