// What is do-not-evict called today (E1), on pods and in the templates that pods are made from?
import { parseDuration } from '../../time/duration.ts';
import { steering } from '../annotationName.ts';
import { valueAt } from '../edit/value.ts';
import { show } from '../findings.ts';
import { joinPath } from '../path.ts';
import { isMap, type Json } from '../reader.ts';
import { reasonNamed } from '../reasonName.ts';
import { type Draft, isGiven } from './draft.ts';

const template = 'spec.template';

/** Where the metadata of a pod stands in objects that make pods. */
const podsIn: ReadonlyMap<unknown, string> = new Map([
  ['Pod', ''],
  ['PodTemplate', 'template'],
  ...['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'ReplicationController', 'Job'].map(
    (kind) => [kind, template] as const,
  ),
  ['CronJob', `spec.jobTemplate.${template}`],
]);

export function respellOptOuts(draft: Draft, object: Json): void {
  const pod = podsIn.get(object.kind);
  if (pod === undefined) return;
  const path = `${pod === '' ? '' : `${pod}.`}metadata.annotations`;
  const annotations = valueAt(object, path.split('.'));
  if (!isMap(annotations)) return;
  respellDoNotEvict(draft, annotations, path);
  respellReasons(draft, annotations, path);
}

function respellDoNotEvict(draft: Draft, annotations: Json, path: string): void {
  const { doNotEvict, doNotDisrupt, parked } = steering;
  const value = annotations[doNotEvict];
  if (!Object.hasOwn(annotations, doNotEvict)) return;
  const at = joinPath(path, doNotEvict);
  const there = annotations[doNotDisrupt] ?? undefined;
  if (value !== 'true' && value !== true) {
    draft.remove(at);
    draft.say(at, `removed: ${show(value)} protects nothing; only "true" does`);
  } else if (isGiven(annotations[parked])) {
    draft.say(at, `left as it is: beside ${parked}, ${doNotDisrupt} would be Lull's own and no wish of a user`);
  } else if (protects(there)) {
    draft.remove(at);
    draft.say(at, `removed: ${doNotDisrupt} is given too and wins`);
  } else {
    if (Object.hasOwn(annotations, doNotDisrupt)) draft.remove(joinPath(path, doNotDisrupt));
    draft.rename(at, doNotDisrupt);
    if (value !== 'true') draft.set(at, 'true');
    draft.say(at, `${doNotEvict} is now called ${doNotDisrupt}`, { karpenter: known });
  }
}

const known = 'Karpenter does not know the old name; from now on it keeps off such pods itself, whatever the reason';

/** E1: `true` or a duration. */
const protects = (value: unknown): boolean =>
  value === true || value === 'true' || (typeof value === 'string' && (parseDuration(value) ?? 0) > 0);

/** E3: the names of reasons, with commas between. */
function respellReasons(draft: Draft, annotations: Json, path: string): void {
  const names = annotations[steering.doNotDisruptReasons];
  if (typeof names !== 'string') return;
  const today = names.replace(/[^,\s]+/g, (name) => reasonNamed(name) ?? name);
  if (today === names) return;
  const at = joinPath(path, steering.doNotDisruptReasons);
  draft.set(at, today);
  draft.say(at, `${show(names)} is now written ${show(today)}`);
}
