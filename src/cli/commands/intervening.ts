// Commands that change a cluster that Lull runs on: pause, resume, roll, approve, turn pass and release; and gate, which asks what holds it.
import { Argument } from 'commander';
import { usualNamespace } from '../flags.ts';
import type { CommandEntry } from './command.ts';
import {
  clusterOptions,
  deploymentFlag,
  durationFlag,
  formOption,
  instantFlag,
  option,
  outputOption,
  serverOption,
  zoneOption,
} from './options.ts';

const turnExamples = `
Examples:
  # zone a of pool web does not become healthy, and the other zones should not wait for it any longer
  $ lull why pool/web
  $ lull turn pass web
`;

export const intervening: readonly CommandEntry[] = [
  {
    name: 'pause',
    summary: 'Stop all disruptions for a while',
    description:
      'Stop all disruptions for a while: create the MaintenanceWindow lull-pause, which blocks every reason except interruptions. Nodes that are already being drained finish.',
    options: [
      option('--until <instant>', 'end of the pause, RFC 3339 (default: until `lull resume`)', instantFlag),
      option('--for <duration>', "length of the pause, on the cluster's clock", durationFlag),
      option('--note <text>', 'reason for the pause; shown in every refusal'),
      option('--author <name>', 'who paused; shown by `lull why` and `lull decide` (default: your user name)'),
      serverOption,
      option('--dry-run', 'print the MaintenanceWindow without applying it'),
      zoneOption,
      formOption(),
      ...clusterOptions,
    ],
    after: `
Examples:
  # until \`lull resume\`
  $ lull pause --note "release day"

  # for an hour
  $ lull pause --for 1h

  # another context, whether or not its Lull is running
  $ lull pause --context production --for 4h --author ann --note "release day"

  # print the window, and apply it with kubectl
  $ lull pause --until 2026-11-27T08:00:00Z --dry-run -o yaml | kubectl apply -f -
`,
    load: () => import('../pause/pause.ts').then(({ pause }) => pause),
  },
  {
    name: 'resume',
    summary: 'End a pause',
    description: 'End a pause: delete the MaintenanceWindow lull-pause.',
    options: [serverOption, outputOption, ...clusterOptions],
    after: `
Examples:
  $ lull resume
  # the same with kubectl
  $ kubectl delete maintenancewindow lull-pause
`,
    load: () => import('../pause/pause.ts').then(({ resume }) => resume),
  },
  {
    name: 'roll',
    summary: 'Ask for the nodes of a pool, or one node, to be replaced',
    description:
      'Ask for every node of a pool that exists now, or for one node, to be replaced. The nodes are replaced as drifted ones are: budgets, windows, turns and pods decide when. The request is the annotation lull.dev/roll-requested, written with your own credentials; it ends by itself when no older node is left.',
    arguments: [new Argument('[target]', 'name of a pool, pool/NAME or node/NAME')],
    options: [
      option('--note <text>', 'reason for the request; shown with each node'),
      option('--author <name>', 'who asks; shown with each node (default: your user name)'),
      option('--cancel', 'take the request back; nodes that are already being drained finish'),
      serverOption,
      outputOption,
      ...clusterOptions,
    ],
    after: `
Examples:
  # every node of pool web that exists now
  $ lull roll web --note "new kernel parameters"
  $ lull why pool/web

  # one node
  $ lull roll node/web-3 --note "noisy neighbour"

  # take it back
  $ lull roll web --cancel

  # the same with kubectl
  $ kubectl annotate nodepool web lull.dev/roll-requested="2026-11-18T10:00:00Z by ann: new kernel parameters"
`,
    load: () => import('../roll/roll.ts').then(({ roll }) => roll),
  },
  {
    name: 'approve',
    summary: 'Approve the disruption of a node, or of the nodes of a pool',
    description:
      'Approve the disruption of a node, or of the nodes of a pool, that is held because its pool (lull.dev/approval: required) or a MaintenanceWindow (approval: true) requires approval. Every other rule still applies. The approval is the annotation lull.dev/approved, written with your own credentials; it ends by itself.',
    arguments: [new Argument('<target>', 'name of a node or a pool, node/NAME or pool/NAME')],
    options: [
      option('--for <duration>', 'how long the approval lasts (default: 4h)', durationFlag),
      option('--note <text>', 'reason for the approval'),
      option('--author <name>', 'who approves (default: your user name)'),
      option('--revoke', 'take the approval back; nodes that are already being drained finish'),
      serverOption,
      zoneOption,
      outputOption,
      ...clusterOptions,
    ],
    after: `
Examples:
  # see what waits for approval
  $ lull why pool/gpu

  # one node, for the usual four hours
  $ lull approve node/gpu-3 --note "job 4711 is done"

  # every node of the pool, for a day
  $ lull approve pool/gpu --for 24h

  # take it back
  $ lull approve pool/gpu --revoke

  # the same with kubectl
  $ kubectl annotate node gpu-3 lull.dev/approved="2026-11-18T14:00:00Z by ann: job 4711 is done"
`,
    load: () => import('../approve/approve.ts').then(({ approve }) => approve),
  },
  {
    name: 'gate',
    summary: 'List HealthGates, or run the check of one now',
    description:
      'List the HealthGates of a cluster with their states. With a name: run its check now, from this machine and with your own credentials, and print the result. Nothing is written.',
    arguments: [new Argument('[name]', 'name of a HealthGate')],
    options: [
      option(
        '-n, --namespace <name>',
        `namespace of Lull, where the Secrets of checks are (default: ${usualNamespace})`,
      ),
      outputOption,
      ...clusterOptions,
    ],
    after: `
Examples:
  $ lull gate

  # why is it unknown?
  $ lull gate incident

  # for scripts
  $ lull gate incident -o json
`,
    load: () => import('../gate/gateCommand.ts').then(({ gate }) => gate),
  },
  {
    name: 'turn',
    summary: 'Pass the turn of a pool, begin its next wave, or resume a halted roll',
    description: 'Manage the roll of a pool: the turn of a domain, the next wave, a roll that is halted.',
    after: turnExamples,
    commands: [
      {
        name: 'pass',
        description:
          'Pass the turn to the next domain, even if the current one is not healthy, as soon as no node of it is in flight. Drifted nodes that are left in it are listed by `lull why`. In a pool that is rolled in waves, the next wave begins in the same way; a roll that is halted is resumed first.',
        arguments: [new Argument('<pool>', 'name of the pool')],
        options: [serverOption, outputOption, ...clusterOptions],
        after: turnExamples,
        load: () => import('../pause/pause.ts').then(({ passTurnOn }) => passTurnOn),
      },
    ],
  },
  {
    name: 'release',
    summary: 'Remove everything Lull wrote, so that Karpenter runs on its own again',
    description:
      'Remove everything Lull wrote: offer every node it parked, restore NodeClaims and pods, remove its status, its pause, its ledger and its lease.\nIt refuses while a Lull leads, because that Lull would write everything again. It can be repeated, and never changes what users wrote.\nIt prints what Karpenter allows in each pool from then on. With --if-stale, the lease and the admission policy stay, so that a later run finds nodes that were created parked in the meantime; nodes of pools without a Karpenter limit stay parked, and the exit status is 3.',
    options: [
      option('--if-stale <duration>', 'only if the lease was not renewed for this long, such as 24h', durationFlag),
      option('--dry-run', 'print what would be removed without changing anything'),
      option('--yes', 'do not ask for confirmation'),
      option('--force', 'run even while a Lull leads'),
      option(
        '--stop <namespace/name>',
        'first scale this Deployment to 0 and wait until its pods are gone',
        deploymentFlag,
      ),
      outputOption,
      ...clusterOptions,
    ],
    after: `
Examples:
  # see what would be removed from the cluster of the current context
  $ lull release --dry-run

  # remove it without asking: Karpenter runs on its own again
  $ lull release --yes

  # for a CronJob: only if no Lull has renewed its lease for a day
  $ lull release --if-stale 24h --yes

  # for a hook: stop the Lull that runs there, then remove everything
  $ lull release --stop lull-system/lull --yes
`,
    load: () => import('../release/release.ts').then(({ releaseHere }) => releaseHere),
  },
];
