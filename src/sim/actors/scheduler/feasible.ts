// The nodes a pod could be scheduled on, and why not on the others: kube-scheduler's filters in their simplest form.
import { parseResources } from '../../../cluster/quantity.ts';
import { type KubeObject, labelsOf } from '../../kubeObject.ts';
import { isTolerated, type RawContainerPort, type RawNode, type RawPod, repelsPods, taintsOf } from '../rawObjects.ts';
import { add, needsOf } from './needs.ts';
import { podAffinityRule } from './podAffinity.ts';
import { cordon, type NodeCheck, type SchedulerRule, type SchedulingView, selects, viewOf } from './schedulingView.ts';
import { spreadRule } from './spread.ts';
import { attachRule, onePodRule } from './volumeClaims.ts';
import { volumeRule } from './volumePlacement.ts';

export interface Feasibility {
  /** By name. */
  readonly nodes: readonly string[];
  /** Why each other node is refused. */
  readonly keptOff: ReadonlyMap<string, string>;
}

/** Ignores the pod itself, wherever it runs. */
export function feasibleNodes(pod: RawPod, objects: Iterable<KubeObject>): Feasibility {
  const others = [...objects].filter(
    ({ kind, metadata }) =>
      kind !== 'Pod' || metadata.name !== pod.metadata.name || metadata.namespace !== pod.metadata.namespace,
  );
  return feasibleIn(pod, viewOf(others));
}

export function feasibleIn(pod: RawPod, around: SchedulingView): Feasibility {
  const judge = everyRule(pod, around);
  const keptOff = new Map<string, string>();
  const nodes: string[] = [];
  for (const node of around.nodes()) {
    const why = judge(node);
    if (why === undefined) nodes.push(node.metadata.name);
    else keptOff.set(node.metadata.name, why);
  }
  return { nodes: nodes.sort(), keptOff };
}

/** The rules besides room, selector and taints, which apply to few pods. */
export const otherRules: readonly SchedulerRule[] = [
  hostPortRule,
  onePodRule,
  volumeRule,
  attachRule,
  spreadRule,
  podAffinityRule,
];

function everyRule(pod: RawPod, around: SchedulingView): NodeCheck {
  const judges = [nameRule, cordonRule, taintRule, selectorRule, roomRule, ...otherRules].flatMap(
    (rule) => rule(pod, around) ?? [],
  );
  return firstOf(judges);
}

export const firstOf =
  (judges: readonly NodeCheck[]): NodeCheck =>
  (node) => {
    for (const judge of judges) {
      const why = judge(node);
      if (why !== undefined) return why;
    }
    return undefined;
  };

const nameRule = ({ spec }: RawPod): NodeCheck | undefined =>
  spec?.nodeName
    ? ({ metadata }) => (metadata.name === spec.nodeName ? undefined : 'name: not the requested node')
    : undefined;

const cordonRule =
  ({ spec }: RawPod): NodeCheck =>
  (node) =>
    node.spec?.unschedulable && !isTolerated(cordon, spec?.tolerations) ? 'taints: cordoned' : undefined;

const taintRule =
  ({ spec }: RawPod): NodeCheck =>
  (node) => {
    const bad = taintsOf(node).find((taint) => repelsPods(taint) && !isTolerated(taint, spec?.tolerations));
    return bad && `taints: ${bad.key}`;
  };

const selectorRule =
  (pod: RawPod): NodeCheck =>
  (node) =>
    selects(needsOf(pod).rules, { name: node.metadata.name, labels: labelsOf(node) })
      ? undefined
      : 'selector: labels do not match';

function roomRule(pod: RawPod, around: SchedulingView): NodeCheck {
  const { requests } = needsOf(pod);
  return (node: RawNode) => {
    const room = parseResources(node.status?.allocatable);
    const used: Record<string, number> = {};
    for (const other of around.podsOn(node.metadata.name)) add(used, needsOf(other).requests);
    const short = Object.keys(requests).find(
      (name) => (requests[name] ?? 0) > 0 && (requests[name] ?? 0) > (room[name] ?? 0) - (used[name] ?? 0),
    );
    return short && `room: not enough ${short}`;
  };
}

const everyAddress = '0.0.0.0';

/** Sidecars keep their ports; ordinary init containers do not. */
export function hostPortsOf({ spec }: RawPod): readonly RawContainerPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const ports = [...(spec?.containers ?? []), ...sidecars].flatMap((container) => container.ports ?? []);
  return ports.filter(({ hostPort = 0 }) => hostPort > 0);
}

function hostPortRule(pod: RawPod, around: SchedulingView): NodeCheck | undefined {
  const wanted = hostPortsOf(pod);
  if (wanted.length === 0) return undefined;
  return ({ metadata }) => {
    for (const other of around.podsOn(metadata.name))
      for (const taken of hostPortsOf(other)) {
        const port = wanted.find((each) => conflict(each, taken));
        if (port) return `ports: ${port.hostPort} is used by ${other.metadata.name}`;
      }
    return undefined;
  };
}

function conflict(a: RawContainerPort, b: RawContainerPort): boolean {
  const [left, right] = [a.hostIP || everyAddress, b.hostIP || everyAddress];
  if (a.hostPort !== b.hostPort || (a.protocol || 'TCP') !== (b.protocol || 'TCP')) return false;
  return left === right || left === everyAddress || right === everyAddress;
}
