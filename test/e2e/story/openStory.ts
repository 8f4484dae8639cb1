// A story's stage: its own real cluster with Lull installed, functions to change and to watch it, and an observer.
import { parseAllDocuments } from 'yaml';
import { type Cluster, type ClusterOptions, startCluster } from '../../cluster/cluster.ts';
import { type Observer, openObserver } from '../observer/observer.ts';
import { type Asked, readAudit } from './audit.ts';
import { type Hand, openHand } from './hand.ts';
import { type LullOptions, type Printed, type RunningLull, runLull, startLull } from './lull.ts';
import { drawPicture } from './picture.ts';
import { openUntil, type Until } from './until.ts';

export interface StoryOptions extends Omit<ClusterOptions, 'name' | 'detached' | 'say'> {
  /** Flags of `lull install`; default: none. `crds` = only the CRDs, as `lull crds` prints them. False = nothing of Lull. */
  readonly install?: readonly string[] | 'crds' | false;
}

export interface Story extends Hand {
  readonly cluster: Cluster;
  readonly observer: Observer;
  readonly until: Until;
  /** Runs `lull …` to its end, as an administrator. */
  lull(...words: readonly string[]): Promise<Printed>;
  /** The same, with its output parsed as JSON; throws if it fails. */
  lullJson<T = Record<string, unknown>>(...words: readonly string[]): Promise<T>;
  /** `lull run`, until the story ends. */
  startLull(options?: LullOptions): Promise<RunningLull>;
  audit(): Asked[];
  picture(): Promise<string>;
  /** Writes a line to the test log, with the seconds since the cluster was up. */
  say(sentence: string): void;
  close(): Promise<void>;
}

/** The name is also that of its cluster's folder: .cluster/run/e2e-NAME. */
export async function openStory(name: string, { install = [], ...options }: StoryOptions = {}): Promise<Story> {
  const cluster = await startCluster({
    ...options,
    name: `e2e-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`.slice(0, 40),
  });
  const began = performance.now();
  const say = (sentence: string): void => {
    process.stderr.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${sentence}\n`);
  };
  const hand = openHand(cluster.api);
  const picture = (): Promise<string> => drawPicture(cluster, hand);
  const until = openUntil(picture, say);
  const observer = openObserver(cluster.folder);
  const running: RunningLull[] = [];
  const lull = (...words: readonly string[]): Promise<Printed> => runLull(cluster, words);
  const close = async (): Promise<void> => {
    for (const it of running) await it.kill();
    observer.close();
    await cluster.stop();
  };
  try {
    if (install === 'crds') await hand.apply(...readAll(must(await lull('crds'), 'lull crds')));
    else if (install) must(await lull('install', ...install), 'lull install');
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...hand,
    cluster,
    observer,
    until,
    lull,
    lullJson: async (...words) => JSON.parse(must(await lull(...words, '-o', 'json'), `lull ${words.join(' ')}`)),
    startLull: async (wanted = {}) => {
      const started = await startLull({ cluster, until, number: running.length + 1 }, wanted);
      running.push(started);
      return started;
    },
    audit: () => readAudit(cluster.auditLog),
    picture,
    say,
    close,
  };
}

const readAll = (text: string): object[] => parseAllDocuments(text).map((document) => document.toJS());

function must({ code, stdout, stderr }: Printed, what: string): string {
  if (code === 0) return stdout;
  throw new Error(`${what} ended with ${code}:\n${stderr}\n${stdout}`);
}
