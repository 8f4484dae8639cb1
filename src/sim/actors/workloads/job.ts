// The Job controller: runs `parallelism` pods at a time until `completions` have succeeded, and replaces evicted ones.
import { isDeleting, type KubeObject, keyOf } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { type ActorController, type ActorWrite, change, create, noWrites, remove } from '../actor.ts';
import { isTrue, type RawPod, type RawWorkload, withConditions } from '../rawObjects.ts';
import { freshName, isActive, itself, ownedPods, ownerOfPod, podOf, workloadAt } from './ownedPods.ts';

/** Marks a finished pod that the Job has counted: the pod may be deleted with its node before the Job completes. */
const counted = 'sim.lull.dev/counted';
const defaultBackoffLimit = 6;

export function jobs(world: World): ActorController {
  const random = world.random.fork('job names');
  return {
    name: 'job-controller',
    wakes: { Job: itself, Pod: ownerOfPod('Job') },
    after: [0.1, 0.3],
    reconcile: (key) => {
      const job = workloadAt('Job', key, world);
      return job && !isTrue(job, 'Complete') && !isTrue(job, 'Failed')
        ? { writes: keep(job, world, () => random.next()) }
        : noWrites;
    },
  };
}

function keep(job: RawWorkload, world: World, draw: () => number): ActorWrite[] {
  const pods = ownedPods(job, world);
  const fresh = pods.filter((pod) => pod.metadata.annotations?.[counted] === undefined);
  const ended = (phase: string): number =>
    Number(job.status?.[phase.toLowerCase()] ?? 0) + fresh.filter(({ status }) => status?.phase === phase).length;
  const [succeeded, failed] = [ended('Succeeded'), ended('Failed')];
  const parallelism = job.spec?.parallelism ?? 1;
  const completions = job.spec?.completions ?? parallelism;
  const active = pods.filter(isActive);
  const isOver = succeeded >= completions || failed > (job.spec?.backoffLimit ?? defaultBackoffLimit);
  const wanted = isOver ? 0 : Math.min(parallelism, completions - succeeded);
  const { name, namespace = 'default' } = job.metadata;
  const naming = { kind: 'Pod', prefix: name, namespace, taken: new Set<string>() };
  const missing = Array.from({ length: Math.max(0, wanted - active.length) }, () =>
    create(
      podOf(
        {
          name: freshName(naming, world, draw),
          owner: job,
          template: job.spec?.template ?? {},
          labels: { 'batch.kubernetes.io/job-name': name },
        },
        world,
      ),
    ),
  );
  const surplus = active.slice(wanted).map((pod) => remove('Pod', keyOf(pod)));
  const status = { active: Math.max(wanted, 0), succeeded, failed };
  const marks = fresh.filter(({ status: is }) => is?.phase === 'Succeeded' || is?.phase === 'Failed').map(markCounted);
  const statusWrite = change('Job', keyOf(job), (it) =>
    conclude(it, status, { completions, isOver, at: world.clock.now }),
  );
  return [statusWrite, ...marks, ...missing, ...surplus];
}

const markCounted = (pod: RawPod): ActorWrite =>
  change('Pod', keyOf(pod), (it) =>
    isDeleting(it)
      ? undefined
      : { ...it, metadata: { ...it.metadata, annotations: { ...it.metadata.annotations, [counted]: 'true' } } },
  );

interface JobOutcome {
  readonly completions: number;
  readonly isOver: boolean;
  readonly at: World['clock']['now'];
}

function conclude(
  job: KubeObject,
  status: { active: number; succeeded: number; failed: number },
  { completions, isOver, at }: JobOutcome,
): KubeObject {
  if (!isOver) return { ...job, status: { ...job.status, ...status } };
  const isComplete = status.succeeded >= completions;
  return withConditions(job, at, [{ type: isComplete ? 'Complete' : 'Failed', status: 'True' }], {
    ...status,
    active: 0,
  });
}
