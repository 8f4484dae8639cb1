// Commands for snapshots and recordings: snapshot, record, replay and shadow.
import { Argument } from 'commander';
import { usualServer } from '../flags.ts';
import type { CommandEntry } from './command.ts';
import {
  clusterOptions,
  durationFlag,
  filesArgument,
  instantFlag,
  listFlag,
  option,
  outputOption,
  seedOption,
  setInsteadOption,
  withOption,
  zoneOption,
} from './options.ts';

export const recordings: readonly CommandEntry[] = [
  {
    name: 'snapshot',
    summary: 'Write a cluster as it is now to a file that -f of every command reads',
    description:
      'Write every object that Lull reads, one per line, with only the fields that it reads: no images, environment variables or secrets.\nWith --anonymise, everything but numbers, dates, schedules, time zones and well-known words is masked. The same name is always masked in the same way, so the decision stays the same.',
    arguments: [filesArgument],
    options: [
      option('-o, --output <file>', 'file to write: .ndjson, .ndjson.gz to compress it, or - for stdout'),
      option('--anonymise', 'mask names, labels, texts, addresses, zones and instance types'),
      option(
        '-f, --file <path>',
        'file or folder with objects as kubectl prints them, instead of a cluster; repeatable',
        listFlag,
      ),
      option(
        '--recording <file>',
        'take the objects and the ledger of one round of this recording, instead of a cluster',
      ),
      option(
        '--at <instant>',
        'with --recording: the last round at or before this time (default: the last round)',
        instantFlag,
      ),
      ...clusterOptions,
    ],
    after: `
Examples:
  # the cluster of the current context, compressed
  $ lull snapshot -o now.ndjson.gz
  $ lull decide -f now.ndjson.gz

  # to share it: names are masked, the decision stays the same
  $ lull snapshot --anonymise -o masked.ndjson.gz

  # one round of a recording; decide it with the same --at
  $ lull snapshot --recording day.gz --at 2026-11-17T10:20:00Z --anonymise -o masked.ndjson.gz

  # from the output of kubectl
  $ kubectl get nodes,pods,nodepools,nodeclaims,pdb,pv,pvc,sc,csinodes,ds -A -o yaml | lull snapshot -f - --anonymise -o -
`,
    load: () => import('../snapshot/snapshotCommand.ts').then(({ snapshot }) => snapshot),
  },
  {
    name: 'record',
    summary: 'Record a cluster and the rounds decided on it, for replay',
    description:
      'Record everything that rounds are decided from, and the rounds, of a scenario or of a running Lull.\n`lull replay` decides them again.',
    arguments: [new Argument('[scenario]', 'file with a Scenario and the objects of its cluster; - for stdin')],
    options: [
      option(
        '--to <file>',
        'file to write: compressed, or plain if the name ends in .ndjson; - for stdout',
      ).makeOptionMandatory(),
      option('--server [url]', `record the Lull at this address instead of a scenario (default: ${usualServer()})`),
      option('--for <duration>', "how long to record, on the cluster's clock", durationFlag),
      seedOption,
    ],
    after: `
Examples:
  # a whole scenario
  $ lull record scenarios/zone-by-zone.yaml --to roll.gz

  # a running \`lull up\`, for an hour of its clock or until Ctrl-C
  $ lull record --server --to live.gz --for 1h

  # decide every round again
  $ lull replay roll.gz
`,
    load: () => import('../record/record.ts').then(({ record }) => record),
  },
  {
    name: 'replay',
    summary: 'Decide a recording again, or print what another policy would have done',
    description:
      'Decide every round of a recording again and compare it, byte by byte, with the recorded decision. The exit status is 1 if they differ.\nWith another policy or setting, print which nodes would have been disrupted earlier, later, or not at all.',
    arguments: [new Argument('<recording>', 'file written by `lull record`; - for stdin')],
    options: [withOption, setInsteadOption, zoneOption, outputOption],
    after: `
Examples:
  # decide every round again, and compare byte by byte
  $ lull replay roll.gz

  # with another policy: budgets and annotations of pools, windows, schedules, PDBs
  $ lull replay roll.gz --with policy.yaml

  # with another setting
  $ lull replay roll.gz --set defaultBudgets=ceiling -o json
`,
    load: () => import('../replay/replayCommand.ts').then(({ replay }) => replay),
  },
  {
    name: 'shadow',
    summary: 'Compare what Karpenter did with what the policy allows',
    description:
      'From a recording in the role observe, print each node that Karpenter disrupted, when and why, and whether the policy allowed it\nat that time or what would have held it, and until when. The policy is evaluated on what happened; nothing is simulated forward.',
    arguments: [new Argument('<recording>', 'file written by `lull run --record` or `lull record`; - for stdin')],
    options: [withOption, setInsteadOption, zoneOption, outputOption],
    after: `
The recording must be made in the role observe, in which Lull disrupts nothing:
  $ lull run --record day.gz    # role observe is the default; Ctrl-C ends it

Examples:
  # what the policy in the cluster would have held, and for how long
  $ lull shadow day.gz

  # the same for another policy: budgets and annotations of pools, windows, schedules, PDBs
  $ lull shadow day.gz --with policy.yaml

JSON output (instants in RFC 3339, durations as in Go; fields with ? may be absent):
  { "from", "to", "rounds",
    "taken": [ { "node", "claim"?, "pool", "zone"?, "reason"?, "at", "goneAt"?, "releasedAt"?,
                 "verdict": "allowed"|"held"|"notAsked", "notAsked"?: why not,
                 "refusals": [ { "code", "message", "owner"?, "liftsAt"? } ],
                 "until"?: instant | "never" | "the cluster changes" | "someone acts" | "time passes",
                 "notBefore"?: instant,
                 "waits"?: duration, "atLeast"?: true,    it may take longer than that
                 "limit"?, "inUse"?,                      the pool's units for this reason, before it went
                 "domains"?: [ { "topologyKey", "domain"?, "limit", "inUse" } ],
                 "inFlight"?, "zones"? } ], nodes of its pool leaving at that time, and their zones
    "before": [ nodes under way when the recording began ],
    "summary": { "taken", "allowed", "held", "notAsked", "byCode": { CODE: nodes },
                 "longestWait"?: { "node", "reason", "waits", "atLeast"? },
                 "atOnce": [ { "pool", "topologyKey"?, "domain"?, "nodes", "limit"?, "at", "zones"? } ] } }
`,
    load: () => import('../shadow/shadowCommand.ts').then(({ shadow }) => shadow),
  },
];
