// Runs one story after another for a soak, and reports the violations of each.
import { parentPort } from 'node:worker_threads';
import { type Played, play } from '../../test/model/crash.ts';
import { runSeed } from '../../test/model/runSeed.ts';
import { playableScenarios } from '../../test/model/scenarios.ts';
import type { Job } from './jobs.ts';

const scenarios = new Map(playableScenarios().map((scenario) => [scenario.name, scenario]));
const undisturbed = new Map<string, Played>();

parentPort?.on('message', (job: Job) =>
  parentPort?.postMessage(job.seed === undefined ? crash(job) : runSeed(job.seed).wrong),
);

function crash({ scenario: name = '', disturbance }: Job): readonly string[] {
  const scenario = scenarios.get(name);
  if (!scenario) return [`there is no scenario ${name}`];
  const calm = undisturbed.get(name) ?? play(scenario);
  undisturbed.set(name, calm);
  const { wrong, end } = play(scenario, disturbance);
  const missing = calm.end.filter((line) => !end.includes(line)).map((line) => `at the end there is not: ${line}`);
  const other = end.filter((line) => !calm.end.includes(line)).map((line) => `at the end there is: ${line}`);
  return [...wrong, ...missing, ...other];
}
