// How does a Job get its work done? So many pods at once until so many have succeeded; one that was sent away is made again.
import { isDeleting, type KubeObject, keyOf } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { type Controller, nothing } from '../controller.ts';
import { freshName } from '../freshName.ts';
import type { Pod, Workload } from '../manifest.ts';
import { isTrue, withConditions } from '../status.ts';
import { change, create, remove, type Write } from '../write.ts';
import { isActive, itself, ownedPods, ownerOfPod, standing } from './ownedPods.ts';
import { podOf } from './podOf.ts';

/** On a pod whose end the Job has counted: its node may be gone, and it with it, before the Job is done. */
const counted = 'sim.lull.dev/counted';
const defaultBackoffLimit = 6;

export function jobs(world: World): Controller {
  const random = world.random.fork('job names');
  return {
    name: 'job-controller',
    wakes: { Job: itself, Pod: ownerOfPod('Job') },
    after: [0.1, 0.3],
    settle: (key) => {
      const job = standing('Job', key, world);
      return job && !isTrue(job, 'Complete') && !isTrue(job, 'Failed')
        ? { writes: keep(job, world, () => random.next()) }
        : nothing;
    },
  };
}

function keep(job: Workload, world: World, draw: () => number): Write[] {
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
  const told = change('Job', keyOf(job), (it) => conclude(it, status, { completions, isOver, at: world.clock.now }));
  return [told, ...marks, ...missing, ...surplus];
}

const markCounted = (pod: Pod): Write =>
  change('Pod', keyOf(pod), (it) =>
    isDeleting(it)
      ? undefined
      : { ...it, metadata: { ...it.metadata, annotations: { ...it.metadata.annotations, [counted]: 'true' } } },
  );

interface Result {
  readonly completions: number;
  readonly isOver: boolean;
  readonly at: World['clock']['now'];
}

function conclude(
  job: KubeObject,
  status: { active: number; succeeded: number; failed: number },
  { completions, isOver, at }: Result,
): KubeObject {
  if (!isOver) return { ...job, status: { ...job.status, ...status } };
  const isComplete = status.succeeded >= completions;
  return withConditions(job, at, [{ type: isComplete ? 'Complete' : 'Failed', status: 'True' }], {
    ...status,
    active: 0,
  });
}
