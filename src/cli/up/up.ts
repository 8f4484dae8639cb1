// `lull up`: a simulated cluster with a Lull in it, live, to watch and query; it needs nothing else.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Scenario } from '../../sim/scenario/scenario.ts';
import { connectTo } from '../clusterInput.ts';
import { Failure, wrongUsage } from '../failure.ts';
import type { Io } from '../io.ts';
import { outputZone, type ZoneFlags } from '../outputZone.ts';
import { openRecordFile } from '../record/recordFile.ts';
import { type ListenFlags, listenOn } from '../run/listen.ts';
import { scenarioIn } from '../scenarioInput.ts';
import { count, plain } from '../span.ts';
import { openBox, type SimulatedBox } from './upBox.ts';
import { play } from './upPlay.ts';

interface UpFlags extends ListenFlags, ZoneFlags {
  readonly scenario?: string;
  readonly speed: number;
  readonly seed?: number;
  readonly record?: string;
}

export async function up(flags: UpFlags, io: Io): Promise<void> {
  if (flags.speed === Number.POSITIVE_INFINITY)
    throw wrongUsage('--speed max is too fast to watch. Use `lull simulate` instead.');
  const scenario = await scenarioIn(flags.scenario ?? demo(), io);
  const { speed, seed } = flags;
  const box = openBox(scenario, { version: io.version, speed, ...(seed !== undefined && { seed }) });
  const file = flags.record === undefined ? undefined : await openRecordFile(flags.record, io);
  const stopRecording = file && box.record(file.write);
  const { listening, note } = await listenOn(box, flags, io);
  try {
    const notes = [...(note === undefined ? [] : [note]), ...sayOtherMeant(listening.url, io)];
    await play(box, { scenario, url: listening.url, speed: flags.speed, notes, zone: outputZone(flags, io) }, io);
  } finally {
    stopRecording?.();
    await Promise.all([listening.close(), file?.close()]);
  }
  io.stdout(farewell(scenario, box, file ? flags.record : undefined));
}

/** Commands without --server ask the kubeconfig's cluster, if there is one. */
function sayOtherMeant(url: string, io: Io): string[] {
  try {
    const { context, close } = connectTo({}, io);
    close();
    return [`\`lull why NODE\` asks your cluster (context ${context}). To ask this simulation: --server ${url}`];
  } catch {
    return [];
  }
}

/** Two folders above the chunks of the bundle, three above the source. */
function demo(): string {
  const places = ['../../scenarios/demo.yaml', '../../../scenarios/demo.yaml'];
  const files = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const file = files.find((it) => existsSync(it));
  if (file === undefined)
    throw new Failure([{ file: files[0], message: 'The demo scenario is missing. Choose one with --scenario.' }]);
  return file;
}

function farewell({ name }: Scenario, { simulation }: SimulatedBox, recorded: string | undefined): string {
  const { summary, violations } = simulation.result();
  const rolled = Object.values(summary.rolled).reduce((sum, it) => sum + it, 0);
  const kept = violations.length === 0 ? 'every limit kept' : `${count(violations.length, 'rule')} broken`;
  const file = recorded === undefined ? '' : `; recorded in ${recorded}`;
  return `${plain(name).text}: ${count(rolled, 'node')} disrupted, ${kept}${file}\n`;
}
