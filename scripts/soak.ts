// npm run soak -- [--seeds N] [--from S] [--crashes N|all|none] [--workers N]: runs thousands of stories of the model, and crashes Lull at every request.
// npm run soak -- scheduler [--seeds N] [--from S]: random clusters before Lull and the real kube-scheduler.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { crashJobs, type Job, seedJobs } from './soak/jobs.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '1' },
    crashes: { type: 'string' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});

/** A story takes at most a second; one that takes this long will never end. */
const longest = 120_000;

const [seeds, from] = [Number(values.seeds), Number(values.from)];
if (positionals.length > 0) {
  if (positionals.join() !== 'scheduler') throw new Error(`Unknown soak "${positionals}": use scheduler, or none`);
  const { soakScheduler } = await import('./soak/scheduler.ts');
  process.exit((await soakScheduler({ seeds, from })) > 0 ? 1 : 0);
}
// With only a few seeds, skip the crash stories by default.
const wanted = values.crashes ?? (seeds < 100 ? 'none' : 'all');
const crashes = wanted === 'none' ? 0 : wanted === 'all' ? Number.POSITIVE_INFINITY : Number(wanted);
const workers = Number(values.workers);
if (![seeds, from, crashes, workers - 1].every((count) => count >= 0))
  throw new Error('--seeds, --from, --crashes and --workers must be whole numbers');

const jobs = [...seedJobs(from, seeds), ...crashJobs(crashes)];
const failed: Job[] = [];
let [next, done] = [0, 0];

await Promise.all(Array.from({ length: Math.min(workers, jobs.length) }, work));
console.log(`\n${done} stories run, ${failed.length} failed.`);
for (const job of failed) console.log(`  ${job.again}`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** A worker runs one story after another; one that hangs is terminated, and another takes its place. */
async function work(): Promise<void> {
  let worker = open();
  while (next < jobs.length) {
    const job = jobs[next++] as Job;
    const wrong = await play(worker, job);
    done++;
    if (wrong === 'hangs') {
      await worker.terminate();
      worker = open();
    }
    const said = wrong === 'hangs' ? ['it does not end'] : wrong;
    if (said.length > 0) {
      failed.push(job);
      console.log(
        `\n${job.name}\n${said
          .slice(0, 5)
          .map((sentence) => `  ${sentence}`)
          .join('\n')}`,
      );
    }
    tell();
  }
  await worker.terminate();
}

function open(): Worker {
  return new Worker(new URL('./soak/worker.ts', import.meta.url));
}

function play(worker: Worker, job: Job): Promise<readonly string[] | 'hangs'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish('hangs'), longest);
    const onMessage = (wrong: readonly string[]): void => finish(wrong);
    const onError = (error: Error): void => finish([`it throws: ${error.stack ?? error.message}`]);
    const finish = (wrong: readonly string[] | 'hangs'): void => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError);
      resolve(wrong);
    };
    worker.on('message', onMessage).on('error', onError);
    worker.postMessage(job);
  });
}

/** On a terminal a line that is overwritten; in a log a line now and then. */
function tell(): void {
  const line = `${done} of ${jobs.length} stories, ${failed.length} wrong`;
  if (process.stdout.isTTY) process.stdout.write(`\r${line}`);
  else if (done % 100 === 0) console.log(line);
}
