// `lull up`: what does Lull do? A cluster in memory with a Lull in it, live, to be watched and asked; nothing else is needed.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { Scenario } from '../sim/scenario/scenario.ts';
import { connectTo } from './clusterFlags.ts';
import { Failure, wrongUsage } from './failure.ts';
import { speedFlag, wholeFlag } from './flags.ts';
import type { Io } from './io.ts';
import { addListenFlags, type ListenFlags, listenOn } from './listen.ts';
import { openRecordFile } from './recordFile.ts';
import { scenarioIn } from './scenarioInput.ts';
import { count } from './scene.ts';
import { plain } from './span.ts';
import { type Box, openBox } from './upBox.ts';
import { play } from './upPlay.ts';

interface Flags extends ListenFlags {
  readonly scenario?: string;
  readonly speed: number;
  readonly seed?: number;
  readonly record?: string;
}

/** The demonstration shows what there is to see within its first minute at this speed. */
const usualSpeed = 10;
const largestSeed = 2 ** 53 - 1;

const examples = `
Examples:
  # a cluster in a box: watch it, and ask it from another terminal
  $ lull up
  $ lull why ml-1
  $ lull pause --for 10m --note "let me look"

  # another scenario, a minute a second, recorded
  $ lull up --scenario scenarios/bad-image.yaml --speed 60 --record bad.gz
`;

export function addUp(program: Command, io: Io): void {
  const command = program
    .command('up')
    .summary('run a cluster in memory with a Lull in it, live')
    .description(
      'Runs a cluster in memory with a Lull in it, live: on the terminal, and over HTTP for `lull why`, `pause`, `resume`, `turn pass` and `record`.\nNeeds no cluster, and leaves nothing behind.',
    )
    .option('--scenario <file>', 'a file with a Scenario and the objects of its cluster (default: a demonstration)');
  addListenFlags(command)
    .option('--speed <factor>', 'seconds played in a second', speedFlag, usualSpeed)
    .option('--seed <number>', 'another run of chance', wholeFlag(0, largestSeed))
    .option('--record <file>', 'record it, for `lull replay`')
    .addHelpText('after', examples)
    .action((flags: Flags) => up(flags, io));
}

async function up(flags: Flags, io: Io): Promise<void> {
  if (flags.speed === Number.POSITIVE_INFINITY)
    throw wrongUsage('Nobody could watch that. Use `lull simulate` for max.');
  const scenario = await scenarioIn(flags.scenario ?? demo(), io);
  const { speed, seed } = flags;
  const box = openBox(scenario, { version: io.version, speed, ...(seed !== undefined && { seed }) });
  const file = flags.record === undefined ? undefined : await openRecordFile(flags.record, io);
  const stopRecording = file && box.record(file.write);
  const { listening, note } = await listenOn(box, flags, io);
  try {
    const notes = [...(note === undefined ? [] : [note]), ...sayOtherMeant(listening.url, io)];
    await play(box, { scenario, url: listening.url, speed: flags.speed, notes }, io);
  } finally {
    stopRecording?.();
    await Promise.all([listening.close(), file?.close()]);
  }
  io.stdout(farewell(scenario, box, file ? flags.record : undefined));
}

/** Plain commands mean the cluster of the kubeconfig, where there is one. */
function sayOtherMeant(url: string, io: Io): string[] {
  try {
    const { context, close } = connectTo({}, io);
    close();
    return [`\`lull why NODE\` means your cluster (context ${context}): ask the box with --server ${url}.`];
  } catch {
    return [];
  }
}

/** In a checkout and in the package it lies beside the program, from the source two folders up. */
function demo(): string {
  const places = ['../scenarios/demo.yaml', '../../scenarios/demo.yaml'];
  const files = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const file = files.find((it) => existsSync(it));
  if (file === undefined)
    throw new Failure([{ file: files[0], message: 'The demonstration is missing. Name a scenario with --scenario.' }]);
  return file;
}

function farewell({ name }: Scenario, { simulation }: Box, recorded: string | undefined): string {
  const { summary, violations } = simulation.result();
  const rolled = Object.values(summary.rolled).reduce((sum, it) => sum + it, 0);
  const kept = violations.length === 0 ? 'every limit was kept' : `${count(violations.length, 'rule')} broken`;
  const file = recorded === undefined ? '' : `; recorded in ${recorded}`;
  return `${plain(name).text}: ${count(rolled, 'node')} went, ${kept}${file}\n`;
}
