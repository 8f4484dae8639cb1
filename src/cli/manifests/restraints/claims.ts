// What Lull may do with NodeClaims: nudge and restore them in guide; give deadlines, make replacements and delete in drive (N6, H1, N12).
import { annotation, label } from '../../../cluster/names.ts';
import type { Duty } from '../../../kube/permissions.ts';
import { allOf, mapAt, onUpdate, quote } from '../cel.ts';
import { annotations, nudgeBy, nudgeKeys, onlyAnnotations, parkingBy, parkingKeys } from './marks.ts';
import { noSubresource, nothingAtAll, onlyOperations } from './nodes.ts';
import { unchangedSpec } from './pods.ts';
import type { Restraint } from './restraint.ts';

const [is, was, changed] = ['variables.is', 'variables.was', 'variables.changed'];
const [deadline, command, pool] = [annotation.terminateAt, annotation.command, label.pool].map(quote);

/** Once a claim is being deleted, its deadline is Karpenter's. */
const taken = `!(${deadline} in ${is}) && !has(oldObject.metadata.deletionTimestamp)`;
/** H1: a deadline comes from the claim's own terminationGracePeriod, which nobody can change, and is written once. */
const given = `!(${deadline} in ${was}) && has(object.spec.terminationGracePeriod) && ${is}[${deadline}].matches('^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?Z$')`;

const deadlineOf = (duty: Duty): Readonly<Record<string, string>> =>
  duty === 'drive'
    ? {
        [`${annotation.terminateAt} is written once, on a claim with a terminationGracePeriod, and removed only while the claim is not being deleted.`]:
          onUpdate(`!(${deadline} in ${changed}) || (${deadline} in ${is} ? (${given}) : (${taken}))`),
      }
    : {
        [`${annotation.terminateAt} may only be removed, while the claim is not being deleted.`]: onUpdate(
          `!(${deadline} in ${changed}) || (${taken})`,
        ),
      };

const owner = 'object.metadata.ownerReferences';

/** What can be said of a replacement without its pool; the rest is judged against the pool. */
const made: Readonly<Record<string, string>> = {
  [`What Lull creates names its command in ${annotation.command} and in its own name.`]: onCreate(
    `${command} in ${is} && object.metadata.name.startsWith(string(${is}[${command}]) + '-')`,
  ),
  [`What Lull creates belongs to the NodePool in its label ${label.pool}, and to nothing else.`]: onCreate(
    allOf(
      `has(${owner}) && size(${owner}) == 1`,
      `${pool} in variables.labels`,
      `${owner}.all(it, it.apiVersion == 'karpenter.sh/v1' && it.kind == 'NodePool' && it.name == variables.labels[${pool}])`,
    ),
  ),
  // So that comparing it with its pool stays within the budget of CEL, past which that policy would let it through.
  'What Lull creates has at most 4 requirements on one key, of 500 values each.': onCreate(
    'object.spec.requirements.all(one, size(object.spec.requirements.filter(other, other.key == one.key)) <= 4 && (!has(one.values) || size(one.values) <= 500))',
  ),
  'What Lull creates has no finalizers: Karpenter adds its own.': onCreate('!has(object.metadata.finalizers)'),
};

function onCreate(expression: string): string {
  return `request.operation != 'CREATE' || (${expression})`;
}

const steps = {
  guide: { parking: ['unparks'], nudge: ['nudges', 'unnudges'] },
  drive: { parking: [], nudge: ['unnudges'] },
  release: { parking: ['unparks'], nudge: ['unnudges'] },
} as const;

/** The job deletes replacements of Lull alone; it cannot write that mark. */
const ofLull = {
  [`Only a claim that carries ${annotation.command} may be deleted.`]: `request.operation != 'DELETE' || ${command} in ${was}`,
};

const operations: Readonly<Record<Exclude<Duty, 'observe'>, readonly string[]>> = {
  guide: ['UPDATE'],
  drive: ['UPDATE', 'CREATE', 'DELETE'],
  release: ['UPDATE', 'DELETE'],
};

export function nodeClaims(duty: Duty): Restraint {
  const [apiGroup, resource] = ['karpenter.sh', 'nodeclaims'];
  if (duty === 'observe') return { apiGroup, resource, rules: nothingAtAll };
  const [parking, nudge] = [parkingBy(...steps[duty].parking), nudgeBy(...steps[duty].nudge)];
  const free = [...nudgeKeys, ...(steps[duty].parking.length > 0 ? parkingKeys : []), annotation.terminateAt];
  return {
    apiGroup,
    resource,
    variables: {
      ...annotations,
      ...parking.variables,
      ...nudge.variables,
      ...(duty === 'drive' && { labels: mapAt('object', 'metadata.labels') }),
    },
    rules: {
      ...noSubresource,
      ...onlyOperations(...operations[duty]),
      ...onlyAnnotations(free, duty === 'release' ? [annotation.command] : []),
      // Only an admission policy parks a claim, at birth.
      ...(steps[duty].parking.length > 0 && parking.rules),
      ...nudge.rules,
      ...deadlineOf(duty),
      ...unchangedSpec,
      ...(duty === 'drive' && made),
      ...(duty === 'release' && ofLull),
    },
  };
}
