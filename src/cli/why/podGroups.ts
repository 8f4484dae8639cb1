// Pods under the same rule, grouped: forty pods of one schedule are one entry that names a few of them.
import type { NodeWhy } from '../../engine/why/nodeWhy.ts';
import type { RefusalWithHelp } from '../../engine/why/wishWhy.ts';

type RestrictedPod = NodeWhy['podsWithASay'][number];

/** A refusal, and the pods that it holds where there are several. */
export interface PodRefusal extends RefusalWithHelp {
  readonly pods?: readonly string[];
}

export interface PodGroup extends Omit<RestrictedPod, 'namespace' | 'name'> {
  readonly pods: readonly string[];
}

const nameOf = ({ namespace, name }: RestrictedPod): string => `${namespace}/${name}`;

/** Pods with the same rules that may move at the same time. */
export function groupPods(pods: readonly RestrictedPod[]): PodGroup[] {
  const groups = Map.groupBy(pods, ({ movable, movableAt, refusals, ...pod }) =>
    JSON.stringify([
      movable,
      movableAt,
      refusals.map((refusal) => ruleOf(refusal, nameOf({ ...pod, movable, refusals }))),
    ]),
  );
  return [...groups.values()].map((alike) => {
    const [first] = alike as [RestrictedPod, ...RestrictedPod[]];
    const { namespace: _, name: __, refusals, ...rest } = first;
    const messages =
      alike.length === 1 ? refusals : refusals.map((it) => ({ ...it, message: ofEach(it.message, nameOf(first)) }));
    return { ...rest, refusals: messages, pods: alike.map(nameOf) };
  });
}

/** Refusals of one wish, with those of pods under the same rule as one. Other refusals stay as they are, in their order. */
export function groupRefusals(refusals: readonly RefusalWithHelp[], pods: readonly RestrictedPod[]): PodRefusal[] {
  const owners = new Map(pods.flatMap((pod) => pod.refusals.map(({ message }) => [message, nameOf(pod)] as const)));
  const groups = Map.groupBy(refusals, (refusal) => ruleOf(refusal, owners.get(refusal.message)));
  return [...groups.values()].map((alike) => {
    const [first] = alike as [RefusalWithHelp, ...RefusalWithHelp[]];
    const names = alike.flatMap(({ message }) => owners.get(message) ?? []);
    const [name] = names;
    if (alike.length === 1 || name === undefined) return first;
    const { owner, ...rest } = first;
    const isOwn = owner?.kind === 'Pod';
    return {
      ...rest,
      ...(owner && !isOwn && { owner }),
      message: ofEach(first.message, name, alike.length),
      pods: names,
    };
  });
}

/** What two refusals share where only the pod differs. A refusal without a pod is equal to none but itself. */
function ruleOf({ code, message, owner, liftsAt, help }: RefusalWithHelp, pod: string | undefined): string {
  if (pod === undefined) return JSON.stringify([code, message, owner, liftsAt, help]);
  const whose = owner?.kind === 'Pod' ? 'its own' : owner;
  return JSON.stringify([code, message.replaceAll(pod, ''), whose, liftsAt, help]);
}

/** `each of 40 pods may be moved only …`: the sentence of one pod about all of them. */
const ofEach = (message: string, pod: string, count?: number): string =>
  message.replace(`pod ${pod} `, `each${count === undefined ? '' : ` of ${count} pods`} `);

const mostNamed = 3;

/** `ml/trainer-0, ml/trainer-1, ml/trainer-2 and 37 more` */
export const listPods = (names: readonly string[]): string =>
  names.length <= mostNamed + 1
    ? names.join(', ')
    : `${names.slice(0, mostNamed).join(', ')} and ${names.length - mostNamed} more`;
