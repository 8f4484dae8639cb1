// The simulator's scheduler, asked beside Lull: it is the oracle of Lull's properties, so it must be right itself.
import type { RawPod } from '../../../src/sim/actors/rawObjects.ts';
import { type Feasibility, feasibleNodes } from '../../../src/sim/actors/scheduler/feasible.ts';
import type { KubeObject } from '../story/hand.ts';
import { type Judge, type Plan, placesDiffer, unbound } from './judge.ts';
import { type Reason, reasonsIn } from './reasons.ts';
import { keyOf } from './watched.ts';

export const simulator: Judge = {
  name: 'the simulator',
  differs: (objects, pod, answer) => {
    const found = feasibleNodes(pod as unknown as RawPod, objects as Iterable<KubeObject>);
    const wrong = placesDiffer(found.nodes, answer);
    return wrong.length > 0 || 'node' in answer ? wrong : reasonsDiffer(found, answer.pending);
  },
};

/** Whether each move of a plan is allowed after the moves before it; the first that is not, as a sentence. */
export function brokenMove(objects: readonly KubeObject[], node: string, { moves }: Plan): string | undefined {
  const isLeaving = ({ kind, metadata }: KubeObject): boolean => kind === 'Node' && metadata.name === node;
  const left = objects
    .filter(({ kind, spec }) => kind !== 'Pod' || spec.nodeName !== node)
    .map((object) => (isLeaving(object) ? marked(object) : object));
  for (const { pod: key, target } of moves) {
    const pod = objects.find((object) => object.kind === 'Pod' && keyOf(object) === key) as KubeObject;
    const { nodes, keptOff } = feasibleNodes(unbound(pod) as unknown as RawPod, left);
    if (!nodes.includes(target)) return `plans to move ${key} from ${node} to ${target}, but ${keptOff.get(target)}`;
    left.push({ ...pod, spec: { ...pod.spec, nodeName: target } });
  }
  return undefined;
}

/** A drained node counts as a topology domain until it is gone. */
const marked = (node: KubeObject): KubeObject => {
  const mark = { key: 'lull.dev/disrupted', effect: 'NoSchedule' };
  return {
    ...node,
    spec: { ...node.spec, taints: [...((node.spec.taints as readonly object[] | undefined) ?? []), mark] },
  };
};

/** Both name the first reason that rejects a node, but check in a different order: reasons that are checked together are one group. */
const together: Readonly<Record<Reason, string>> = {
  cordon: 'taints',
  taint: 'taints',
  selector: 'selector',
  room: 'room or ports',
  port: 'room or ports',
  volume: 'volumes',
  attachments: 'volumes',
  spread: 'spread',
  affinity: 'affinity',
  antiAffinity: 'affinity',
};

function reasonsDiffer({ keptOff }: Feasibility, message: string): readonly string[] {
  const told = reasonsIn(message);
  if (!told) return [];
  const mine = [...keptOff.values()].map(groupOf);
  return [...Map.groupBy(told.counts.keys(), (reason) => together[reason])].flatMap(([group, reasons]) => {
    const theirs = reasons.reduce((sum, reason) => sum + (told.counts.get(reason) ?? 0), 0);
    const own = mine.filter((each) => each === group).length;
    // A node that lacks several resources counts for each.
    const agrees = group === 'room or ports' ? own > 0 && own <= theirs : own === theirs;
    return agrees ? [] : [`keeps it off ${own} nodes by ${group}, the scheduler off ${theirs}: ${message}`];
  });
}

function groupOf(why: string): string {
  const word = why.slice(0, why.indexOf(':'));
  const group = groups[word];
  if (!group) throw new Error(`Unknown reason of the simulator: ${why}`);
  return group;
}

const groups: Readonly<Record<string, string>> = {
  name: 'selector',
  taints: 'taints',
  selector: 'selector',
  room: 'room or ports',
  ports: 'room or ports',
  volumes: 'volumes',
  attachments: 'volumes',
  spread: 'spread',
  affinity: 'affinity',
  'anti-affinity': 'affinity',
};
