// `lull shadow`: what did Karpenter do, against what the policy allows? From a recording of a Lull that only watched.
import type { Command } from 'commander';
import type { Settings } from '../cluster/settings.ts';
import type { Json } from '../kinds/reader.ts';
import { castShadow } from '../recording/shadow.ts';
import { wrongUsage } from './failure.ts';
import { listFlag } from './flags.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { policyIn, reading, settingsOver } from './recordingInput.ts';
import { shadowAsJson } from './shadowJson.ts';
import { renderShadow } from './shadowText.ts';
import { readSources } from './sources.ts';

interface Flags {
  readonly with?: readonly string[];
  readonly set?: readonly string[];
  readonly output: Form;
}

const afterHelp = `
The recording is one of a Lull in the role observe: nothing of what went was its own doing.
  $ lull run --record day.gz    # role observe is the default; Ctrl-C ends it

Examples:
  # what of it would the policy in the cluster have held, and for how long?
  $ lull shadow day.gz

  # and another policy? budgets and annotations of pools, windows, schedules, PDBs
  $ lull shadow day.gz --with policy.yaml

With -o json (instants in RFC 3339, durations as Go writes them; absent means absent):
  { "from", "to", "rounds",
    "taken": [ { "node", "claim"?, "pool", "zone"?, "reason"?, "at", "goneAt"?, "releasedAt"?,
                 "verdict": "allowed"|"held"|"notAsked", "notAsked"?: why not,
                 "refusals": [ { "code", "message", "owner"?, "liftsAt"? } ],
                 "until"?: instant | "never" | "the cluster changes" | "someone acts" | "time passes",
                 "notBefore"?: instant,
                 "waits"?: duration, "atLeast"?: true,    what time alone does not lift may take longer
                 "limit"?, "inUse"?,                      the pool's units for this reason, before it went
                 "domains"?: [ { "topologyKey", "domain"?, "limit", "inUse" } ],
                 "inFlight"?, "zones"? } ], nodes of its pool on their way out with it, and where
    "before": [ nodes under way when the recording began ],
    "summary": { "taken", "allowed", "held", "notAsked", "byCode": { CODE: nodes },
                 "longestWait"?: { "node", "reason", "waits", "atLeast"? },
                 "atOnce": [ { "pool", "topologyKey"?, "domain"?, "nodes", "limit"?, "at", "zones"? } ] } }
`;

export function addShadow(program: Command, io: Io): void {
  program
    .command('shadow')
    .summary('what Karpenter did, against what the policy allows')
    .description(
      'From a recording of a Lull that only watched: each node that Karpenter took, when and why, and what the policy said at that\nmoment: that it may go, or what would have held it and until when. The policy is asked about what happened; nothing is played forward.',
    )
    .argument('<recording>', 'a file that `lull run --record` or `lull record` wrote; - for stdin')
    .option('--with <path>', 'policy objects that stand for those recorded, or beside them; repeatable', listFlag)
    .option('--set <key=value>', 'a setting that stands for the one recorded; repeatable', listFlag)
    .addOption(outputOption())
    .addHelpText('after', afterHelp)
    .action((file: string, flags: Flags) => shadow(file, flags, io));
}

async function shadow(file: string, flags: Flags, io: Io): Promise<void> {
  const [source] = await readSources([file], io);
  if (!source) throw wrongUsage('There is one recording to look at. Name its file.');
  const objects = flags.with ? policyIn(await readSources(flags.with, io)) : [];
  const settings = (recorded: Json): Settings => settingsOver(watched(recorded), flags.set ?? []);
  const outcome = reading(source, () => castShadow(source.text, { objects, settings }));
  printAnswer(io, flags.output, { value: () => shadowAsJson(outcome), lines: () => renderShadow(outcome, io.width) });
}

/** In the other roles what went was decided by Lull. */
function watched(recorded: Json): Json {
  const { role } = recorded;
  if (role === undefined || role === 'observe') return recorded;
  throw wrongUsage(
    `This recording was made in the role ${String(role)}: what went was Lull's own decision. Record one in the role observe, or ask \`lull replay --with\` what another policy would have done.`,
  );
}
