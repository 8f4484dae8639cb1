// One trial on a random cluster: node after node is removed, and its pods are offered to the real scheduler one by one.
import { setTimeout } from 'node:timers/promises';
import type { KubeObject as SimObject } from '../../../src/sim/kubeObject.ts';
import { Random } from '../../../src/sim/random.ts';
import { featuresOf } from '../../placement/features.ts';
import type { KubeObject } from '../story/hand.ts';
import { type Judge, type Plan, unbound } from './judge.ts';
import { namesIn, type Reason } from './reasons.ts';
import { brokenMove } from './simulator.ts';
import type { Answer, Stand } from './stand.ts';
import { keyOf } from './watched.ts';

export interface TrialOptions {
  readonly stand: Stand;
  readonly judges: readonly Judge[];
  plan(objects: readonly KubeObject[], node: string): Plan;
}

export interface Trial {
  readonly seed: number;
  readonly disagreements: readonly Disagreement[];
  readonly removals: readonly Removal[];
  readonly bound: readonly Outcome[];
  readonly pending: readonly Outcome[];
  /** Answers that were requested again, since the scheduler had not seen the whole state. */
  readonly late: number;
}

/** One offered pod. */
export interface Outcome {
  readonly features: readonly string[];
  /** Why it is pending, over all nodes. */
  readonly reasons: readonly Reason[];
}

/** The answers differ on the same state: a bug of Lull or its simulator, since the scheduler is the reference. */
export interface Disagreement {
  readonly who: string;
  readonly pod: string;
  readonly answer: Answer;
  readonly says: string;
  /** The state, the pod last: enough to repeat it. */
  readonly objects: readonly KubeObject[];
}

/** fits, stuck: as planned. stranded: the plan fits, but the scheduler's own choices left no room for a pod. luck: the other way round. */
export type Ending = 'fits' | 'stuck' | 'stranded' | 'luck';

interface Removal {
  readonly node: string;
  readonly pods: number;
  readonly ending: Ending;
  readonly says: string;
  readonly objects: readonly KubeObject[];
}

/** How many nodes of each cluster are removed; one more is drained. */
const removals = 3;

export async function tryCluster(seed: number, given: readonly KubeObject[], options: TrialOptions): Promise<Trial> {
  const { stand } = options;
  const objects = given.map(peaceful);
  const run = new Run(options, objects);
  const waiting = objects.filter(isWaiting);
  await stand.build(objects.filter((object) => !isWaiting(object)));
  for (const pod of waiting) await run.offer(unbound(pod));
  const random = new Random(`scheduler ${seed}`);
  for (let count = 0; count <= removals; count++) {
    const nodes = busyNodes(stand.objects());
    if (nodes.length === 0) break;
    const node = random.pick(nodes);
    if (count === 0) await run.drain(node);
    else await run.takeAway(node);
  }
  await stand.clear();
  return { seed, ...run.result };
}

/** Offers one pod to the current cluster. */
export async function offerOne(pod: KubeObject, options: TrialOptions): Promise<Omit<Trial, 'seed'>> {
  const run = new Run(options, []);
  await run.offer(pod);
  return run.result;
}

/** Removes one node from the current cluster. */
export async function takeOne(
  node: string,
  objects: readonly KubeObject[],
  options: TrialOptions,
): Promise<Omit<Trial, 'seed'>> {
  const run = new Run(options, objects.map(peaceful));
  await run.takeAway(node);
  return run.result;
}

/** A pod that can preempt others finds a place where there is no room: Lull does not rely on preemption, and here it would only confuse. */
const peaceful = (object: KubeObject): KubeObject =>
  object.kind === 'Pod' ? { ...object, spec: { ...object.spec, preemptionPolicy: 'Never' } } : object;

const isWaiting = ({ kind, spec }: KubeObject): boolean => kind === 'Pod' && !spec.nodeName;
/** Nodes with pods that would have to be evicted. */
const busyNodes = (objects: readonly KubeObject[]): readonly string[] =>
  objects
    .filter(({ kind, metadata }) => kind === 'Node' && objects.filter(isOn(metadata.name)).some(isMovable))
    .map(({ metadata }) => metadata.name);

const isMovable = ({ metadata }: KubeObject): boolean =>
  !((metadata.ownerReferences ?? []) as { kind: string }[]).some(({ kind }) => kind === 'DaemonSet');

const isOn =
  (node: string) =>
  ({ kind, spec }: KubeObject): boolean =>
    kind === 'Pod' && spec.nodeName === node;

const mark = { key: 'lull.dev/disrupted', value: 'underutilized-1', effect: 'NoSchedule' };

const taintsOf = (objects: readonly KubeObject[], node: string): readonly unknown[] =>
  objects.find(({ kind, metadata }) => kind === 'Node' && metadata.name === node)?.spec.taints ?? [];

/** A state that the scheduler has not seen completely is complete after this wait, which doubles each time. */
const pause = 100;
const tries = 4;

/** What a single pod cannot show. */
const ofClusters: ReadonlySet<string> = new Set(['waiting pods', 'shared claims', 'missing claims']);

class Run {
  readonly #options: TrialOptions;
  /** As their owners would create them again. */
  readonly #templates: ReadonlyMap<string, KubeObject>;
  readonly #disagreements: Disagreement[] = [];
  readonly #removals: Removal[] = [];
  readonly #bound: Outcome[] = [];
  readonly #pending: Outcome[] = [];
  #late = 0;

  constructor(options: TrialOptions, objects: readonly KubeObject[]) {
    this.#options = options;
    this.#templates = new Map(objects.filter(({ kind }) => kind === 'Pod').map((pod) => [keyOf(pod), unbound(pod)]));
  }

  get result(): Omit<Trial, 'seed'> {
    return {
      disagreements: this.#disagreements,
      removals: this.#removals,
      bound: this.#bound,
      pending: this.#pending,
      late: this.#late,
    };
  }

  /** Like kubectl: the node stays while its pods are evicted one by one, and is checked all the time. */
  async drain(node: string): Promise<void> {
    const { stand, plan } = this.#options;
    const objects = stand.objects();
    const taints = taintsOf(objects, node);
    const cordon = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
    const { order } = plan(objects, node);
    await stand.patch('Node', node, { spec: { unschedulable: true, taints: [...taints, cordon] } });
    for (const key of order) {
      await stand.remove('Pod', key);
      await this.offer(this.#templates.get(key) as KubeObject);
    }
  }

  /** Like Lull: the node is tainted, its pods are evicted at once, and it exists until they have their places. */
  async takeAway(node: string): Promise<void> {
    const { stand, plan } = this.#options;
    const objects = stand.objects();
    const planned = plan(objects, node);
    const { order, fits, why = 'it fits' } = planned;
    const broken = brokenMove(objects, node, planned);
    if (broken) this.#disagreements.push({ who: 'Lull', pod: '', answer: { pending: broken }, says: broken, objects });
    await stand.patch('Node', node, { spec: { taints: [...taintsOf(objects, node), mark] } });
    await Promise.all(objects.filter(isOn(node)).map((pod) => stand.remove('Pod', keyOf(pod))));
    const left = await this.#offerAll(order);
    // A pod that tolerates every taint may have been placed on it again.
    const back = stand.objects().filter(isOn(node));
    await Promise.all(back.map((pod) => stand.remove('Pod', keyOf(pod))));
    const ofNode = objects.filter(({ kind, metadata }) => metadata.name === node && /^(CSI)?Node$/.test(kind));
    for (const { kind } of ofNode) await stand.remove(kind, node);
    const isStuck = left.size > 0;
    const ending = fits ? (isStuck ? 'stranded' : 'fits') : isStuck ? 'stuck' : 'luck';
    const pending = [...left].map(([pod, message]) => `${pod} waits: ${message}`).join('; ');
    const says = `Lull: ${why}. The scheduler: ${pending || 'all are bound'}`;
    this.#removals.push({ node, pods: order.length, ending, says, objects });
  }

  /** Pending pods are tried again whenever others have been placed, as the scheduler does by itself. */
  async #offerAll(order: readonly string[]): Promise<ReadonlyMap<string, string>> {
    let left = new Map(order.map((pod) => [pod, '']));
    for (let isAnyBound = true; isAnyBound && left.size > 0; ) {
      const again = new Map<string, string>();
      for (const key of left.keys()) {
        const answer = await this.offer(this.#templates.get(key) as KubeObject);
        if ('pending' in answer) again.set(key, answer.pending);
      }
      isAnyBound = again.size < left.size;
      left = again;
    }
    return left;
  }

  /** Nothing else happens meanwhile, so that all judges see the same state as the scheduler. */
  async offer(template: KubeObject): Promise<Answer> {
    const { stand, judges } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const before = stand.objects();
      const { pod, claims, answer } = await stand.offer(template);
      const objects = [...before, ...claims];
      const around = [...objects, pod];
      const wrong = judges.flatMap((judge) =>
        judge
          .differs(objects, pod, answer)
          .map((says) => ({ who: judge.name, pod: keyOf(pod), answer, says, objects: around })),
      );
      const isDone = wrong.length === 0 || attempt === tries;
      if (!isDone || 'pending' in answer) await stand.remove('Pod', keyOf(pod));
      if (isDone) {
        this.#disagreements.push(...wrong);
        const features = featuresOf([template as unknown as SimObject]).filter((name) => !ofClusters.has(name));
        if ('node' in answer) this.#bound.push({ features, reasons: [] });
        else this.#pending.push({ features, reasons: namesIn(answer.pending) });
        return answer;
      }
      this.#late++;
      await setTimeout(pause * 2 ** attempt);
    }
  }
}
