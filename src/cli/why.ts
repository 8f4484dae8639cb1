// `lull why`: why does this node, pod or pool go or stay? Every wish, every refusal, what lifts when, and what a person could do.
import type { Command } from 'commander';
import { decideSearched } from '../engine/searchedRound.ts';
import { findTarget } from '../engine/why/target.ts';
import { explainWhy, type Why } from '../engine/why/why.ts';
import { whyAsJson, whyFromJson } from '../engine/why/whyJson.ts';
import type { ClusterIdentity } from '../server/source.ts';
import { asInstant, type Instant, second } from '../time/instant.ts';
import { type ObjectFlags, objectsAsked, tellWhom } from './asked.ts';
import { askServer, usualServer } from './askServer.ts';
import { addClusterFlags } from './clusterFlags.ts';
import { wrap } from './columns.ts';
import { wrongUsage } from './failure.ts';
import { filesArgument, instantFlag, listFlag, withFiles } from './flags.ts';
import { factsOf } from './input.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { type AskServer, type Whom, whichServer, whomToAsk } from './person.ts';
import { type Line, styled } from './span.ts';
import { clusterField, clusterLines } from './whichCluster.ts';
import { renderWhy } from './whyText.ts';

interface Flags extends ObjectFlags {
  readonly at?: Instant;
  readonly server?: string;
  readonly output: Form;
}

const examples = `
Examples:
  # of the cluster of the current context; without a kubeconfig, of the \`lull up\` on this machine
  $ lull why ip-10-0-2-18

  # of a \`lull up\`, where there is a kubeconfig too
  $ lull why ml-1 --server ${usualServer()}

  # of another cluster, decided here with the settings of the Lull that leads there
  $ lull why pod/data/reports-0 --context production

  # a node, a pod, a pool of what kubectl shows
  $ kubectl get nodes,pods,nodepools,nodeclaims,pdb,namespaces,daemonsets -A -o yaml > now.yaml
  $ lull why ip-10-0-2-18 -f now.yaml
  $ lull why pod/data/reports-0 -f now.yaml
  $ lull why pool/general -f now.yaml --at 2026-11-17T10:20:00Z

  # of a Lull elsewhere, for a program to read
  $ lull why web-3 --server http://127.0.0.1:7728 -o json
`;

export function addWhy(program: Command, io: Io): void {
  const command = program
    .command('why')
    .summary('say why a node, pod or pool goes or stays, and what could be done')
    .description(
      'Says why a node, a pod or a pool goes or stays: every wish, every refusal, whose rule it is, when it lifts, and what a person could do.\nOf the objects given with -f, of a cluster as it is now, or of a running Lull.',
    )
    .argument('<target>', 'node/NAME, pod/NAMESPACE/NAME, pool/NAME, or a name alone')
    .addArgument(filesArgument())
    .option('-f, --file <path>', 'objects as kubectl prints them; - for stdin, or a folder; repeatable', listFlag)
    .option('--at <instant>', 'the moment to decide for, RFC 3339 (default: now)', instantFlag)
    .option('--settings <file>', 'settings in YAML or JSON')
    .option('--set <key=value>', 'one setting, before the file; repeatable', listFlag)
    .option(
      '--server <url>',
      `a running Lull, whichever cluster it is for (default: that of the cluster meant, if it is on ${usualServer()})`,
    )
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((target: string, files: readonly string[], flags: Flags) => why(target, withFiles(files, flags), io));
  addClusterFlags(command);
}

async function why(target: string, flags: Flags, io: Io): Promise<void> {
  const whom = await whomFor(flags, io);
  const { told, cluster, outdated } =
    whom.via === 'server' ? await whyOfServer(target, { flags, whom, io }) : await whyHere(target, flags, io);
  printAnswer(io, flags.output, {
    value: () => ({ ...whyAsJson(told), ...(outdated !== undefined && { outdated }), ...clusterField(cluster) }),
    lines: () => [...renderWhy(told, io.width), ...outdatedLines(outdated, io.width), ...clusterLines(cluster)],
  });
}

const outdatedLines = (why: string | undefined, width: number): Line[] =>
  why === undefined ? [] : wrap([styled('yellow', `Lull has decided nothing since then: ${why}`)], width);

interface Answered {
  readonly told: Why;
  /** Why it is older than now. */
  readonly outdated?: string;
  readonly cluster?: ClusterIdentity;
}

/** Files, another moment and other settings are not for a running Lull. */
async function whomFor(flags: Flags, io: Io): Promise<Whom> {
  if (flags.file && flags.server !== undefined)
    throw wrongUsage('Give either -f or --server: the files, or a running Lull.');
  if (flags.file || (flags.server === undefined && isWhatIf(flags))) return { via: 'cluster' };
  if (isWhatIf(flags))
    throw wrongUsage(
      'A running Lull has its own clock and settings: --at, --settings and --set are for files (-f) and clusters (--context).',
    );
  return whomToAsk(flags, io);
}

const isWhatIf = ({ at, settings, set }: Flags): boolean =>
  at !== undefined || settings !== undefined || set !== undefined;

async function whyHere(target: string, flags: Flags, io: Io): Promise<Answered> {
  const { input, settings, whom, cluster } = await objectsAsked(flags, io);
  const now = flags.at ?? asInstant(Math.floor(io.now() / second) * second);
  tellWhom(whom, flags.output, io);
  const found = findTarget(input.cluster, target);
  if (!('target' in found)) throw wrongUsage(sayUnfound(found));
  const { round } = decideSearched(factsOf(input, settings), now, settings);
  const answer = explainWhy({ round, role: settings.role, isLive: whom !== undefined }, input.cluster, found.target);
  if (!answer) throw wrongUsage(`There is nothing to say about ${target}.`);
  return { told: answer, cluster };
}

const sayUnfound = ({ message, like }: { readonly message: string; readonly like: readonly string[] }): string =>
  like.length === 0 ? message : `${message} There is ${like.join(', ')}.`;

interface AskedServer {
  readonly flags: Flags;
  readonly whom: AskServer;
  readonly io: Io;
}

async function whyOfServer(target: string, { flags, whom, io }: AskedServer): Promise<Answered> {
  // Before the answer: who does not find a name there may have meant another cluster.
  if (whom.isNear) tellWhom(whichServer(whom), flags.output, io);
  const answer = await askServer({ server: whom.server, path: `/api/why?target=${encodeURIComponent(target)}` });
  const told = whyFromJson(answer);
  if (!told) throw wrongUsage('What answers there is no Lull, or one that this one does not understand.');
  const { outdated } = answer as { readonly outdated?: unknown };
  return { told, ...(typeof outdated === 'string' && { outdated }), ...clusterField(whom.cluster) };
}
