// Which node class is meant? v1 names its group; older versions an apiVersion, or only the name of an AWSNodeTemplate.
import { isMap } from '../reader.ts';
import { type Draft, isGiven } from './draft.ts';

/** `apiVersion: karpenter.k8s.aws/v1beta1` is `group: karpenter.k8s.aws`. */
export function respellNodeClass(draft: Draft, reference: unknown, path: string): void {
  if (!isMap(reference) || !Object.hasOwn(reference, 'apiVersion')) return;
  const at = `${path}.apiVersion`;
  const { apiVersion, group } = reference;
  if (isGiven(group) || !isGiven(apiVersion)) {
    draft.remove(at);
    draft.say(at, 'removed: v1 names the group alone');
  } else if (typeof apiVersion === 'string' && apiVersion.includes('/')) {
    if (Object.hasOwn(reference, 'group')) draft.remove(`${path}.group`);
    draft.rename(at, 'group');
    draft.set(at, apiVersion.slice(0, apiVersion.indexOf('/')));
    draft.say(at, `apiVersion ${apiVersion} is now group ${apiVersion.slice(0, apiVersion.indexOf('/'))}`);
  } else draft.say(at, 'left as it is: it names no group. Write group instead, such as karpenter.k8s.aws');
}

const awsTemplate = 'AWSNodeTemplate';
const awsClass = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass' };

/** Of a Provisioner. Only AWS had any then; a name alone means an AWSNodeTemplate. */
export function respellProviderRef(draft: Draft, reference: unknown, path: string): void {
  if (!isMap(reference)) return;
  if (isGiven(reference.kind) && reference.kind !== awsTemplate) {
    respellNodeClass(draft, reference, path);
    return;
  }
  for (const [key, value] of Object.entries(awsClass)) draft.set(`${path}.${key}`, value);
  if (Object.hasOwn(reference, 'apiVersion')) draft.remove(`${path}.apiVersion`);
  draft.say(path, `the ${awsTemplate} is now an ${awsClass.kind} of ${awsClass.group}`, {
    behaviour: `Lull cannot convert the ${awsTemplate} itself: write an ${awsClass.kind} of that name. With drift: computed, nodes made from the former are drifted`,
    facts: ['template'],
  });
}

export const kubeletStays =
  'Karpenter v1 has kubelet settings in the node class (spec.kubelet of an EC2NodeClass) and rejects them in a NodePool: move them there by hand';
