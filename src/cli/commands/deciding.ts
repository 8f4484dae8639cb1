// Commands that decide rounds: up, run, decide, simulate, why and forecast.
import { Argument, Option } from 'commander';
import { asDuration, minute } from '../../time/instant.ts';
import { usualLease, usualNamespace, usualServer } from '../flags.ts';
import type { CommandEntry } from './command.ts';
import {
  clusterOptions,
  durationFlag,
  fileOption,
  filesArgument,
  instantFlag,
  listenOptions,
  option,
  outputOption,
  probesOption,
  seedFlag,
  seedOption,
  serverOption,
  setOption,
  settingsInForceOption,
  settingsOption,
  speedFlag,
  stuckFlag,
  zoneOption,
} from './options.ts';

/** At this speed the demo shows a roll within its first minute. */
const demoSpeed = 10;

export const deciding: readonly CommandEntry[] = [
  {
    name: 'up',
    summary: 'Run a simulated cluster with a Lull in it, live',
    description:
      'Run a simulated cluster with a Lull in it, live: on the terminal, and over HTTP for `lull why`, `pause`, `resume`, `turn pass` and `record`.\nIt needs no Kubernetes cluster.',
    options: [
      option('--scenario <file>', 'file with a Scenario and the objects of its cluster (default: a demo)'),
      ...listenOptions,
      option('--speed <factor>', 'simulated seconds per second', speedFlag, demoSpeed),
      seedOption,
      option('--record <file>', 'write a recording, for `lull replay`'),
      zoneOption,
    ],
    after: `
Examples:
  # watch a simulated cluster, and ask it from another terminal
  $ lull up
  $ lull why ml-1
  $ lull pause --for 10m --note "let me look"

  # another scenario, one minute per second, recorded
  $ lull up --scenario scenarios/bad-image.yaml --speed 60 --record bad.gz
`,
    load: () => import('../up/up.ts').then(({ up }) => up),
  },
  {
    name: 'run',
    summary: 'Run beside Karpenter on a Kubernetes cluster',
    description:
      'Run beside Karpenter on a Kubernetes cluster until interrupted: decide which nodes may be disrupted, and report what holds the others.\nIn the role observe (the default) it writes only status and events. With `--set role=guide` it lets Karpenter disrupt only the nodes that may be disrupted.',
    options: [
      ...clusterOptions,
      option(
        '-n, --namespace <name>',
        `namespace of the lease (default: that of the context or of the pod, else ${usualNamespace})`,
      ),
      settingsOption,
      setOption,
      ...listenOptions,
      probesOption,
      new Option(
        '--stuck-after <duration>',
        'longest time for one round; after it the lease is not renewed and /healthz of --probes fails',
      )
        .argParser(stuckFlag)
        .default(asDuration(5 * minute), '5m'),
      option('--record <file>', 'write a recording, for `lull replay`; keeps every object in memory'),
      option('--lease <name>', 'name of the lease for leader election', usualLease),
      option('--no-lease', 'lead without a lease; only the ledger then keeps two Lulls from doing the same work'),
      new Option('--log <form>', 'log format on stderr').choices(['text', 'json']).default('text'),
    ],
    after: `
Examples:
  # see what Lull would allow in the cluster of the current context; nodes are not changed
  $ lull run

  # let Karpenter disrupt only nodes that may be disrupted (Ctrl-C ends it; \`lull release\` undoes everything)
  $ lull run --set role=guide

  # another context, settings from a file, a recording for \`lull replay\`, and a JSON log
  $ lull run --context prod --settings lull.yaml --record week.gz --log json
`,
    load: () => import('../run/runCommand.ts').then(({ runOn }) => runOn),
  },
  {
    name: 'decide',
    summary: 'Print which nodes may be disrupted now, what holds the others, and until when',
    description:
      'Decide one round over files, or over a cluster as it is now, and print which nodes may be disrupted now, what holds the others, and until when.\nNothing is written to the cluster.',
    arguments: [filesArgument],
    options: [
      fileOption,
      option('--at <instant>', 'time of the decision, RFC 3339 (default: now)', instantFlag),
      settingsInForceOption,
      setOption,
      option('--all', 'print every node by itself with every refusal, and consolidation that is not worthwhile'),
      option('--no-search', 'skip the search for nodes that can be consolidated together; faster on a large cluster'),
      zoneOption,
      outputOption,
      ...clusterOptions,
    ],
    after: `
Examples:
  # the cluster of the current context, with the settings of the Lull that leads there
  $ lull decide

  # preview a NodePool on another cluster before applying it
  $ lull decide --context production -f nodepool.yaml

  # from the output of kubectl
  $ kubectl get nodes,pods,nodepools,nodeclaims,pdb,namespaces,daemonsets -A -o yaml | lull decide -f -

  # files and folders, as of Monday morning, in JSON
  $ lull decide -f snapshot.yaml -f windows/ --at 2026-11-16T09:00:00Z -o json

  # with budgets read as Karpenter reads them; every node with every refusal
  $ lull decide -f snapshot.yaml --set defaultBudgets=ceiling --all
`,
    load: () => import('../decide/decide.ts').then(({ decide }) => decide),
  },
  {
    name: 'simulate',
    summary: 'Run a scenario in a simulated cluster and print what happened',
    description:
      'Run a scenario in a simulated cluster and print what happened. The same seed gives the same output, byte for byte.\nThe exit status is 1 if a limit was violated or an expectation of the scenario was not met.',
    arguments: [new Argument('<scenario>', 'file with a Scenario and the objects of its cluster; - for stdin')],
    options: [
      option('--for <duration>', 'how long to simulate, as a Go duration (default: from the scenario)', durationFlag),
      option('--seed <number>', 'seed of the random numbers (default: from the scenario)', seedFlag),
      option('--speed <factor>', 'simulated seconds per second (default: max, as fast as possible)', speedFlag),
      zoneOption,
      outputOption,
    ],
    after: `
Examples:
  # a pool is rolled zone by zone
  $ lull simulate scenarios/zone-by-zone.yaml

  # the first two hours only, with another seed, in JSON
  $ lull simulate scenarios/bad-image.yaml --for 2h --seed 7 -o json

  # watch it, one minute per second
  $ lull simulate scenarios/zone-by-zone.yaml --speed 60
`,
    load: () => import('../simulate/simulateCommand.ts').then(({ simulateScenario }) => simulateScenario),
  },
  {
    name: 'why',
    summary: 'Explain what holds a node, pod or pool, until when, and what to do',
    description:
      'Explain what holds a node, a pod or a pool: every wish and every refusal, with the owner of the rule, when it lifts, and what to do.\nReads files given with -f, a cluster as it is now, or a running Lull.',
    arguments: [new Argument('<target>', 'node/NAME, pod/NAMESPACE/NAME, pool/NAME, or just a name'), filesArgument],
    options: [
      fileOption,
      option('--at <instant>', 'time of the decision, RFC 3339 (default: now)', instantFlag),
      settingsOption,
      setOption,
      serverOption,
      zoneOption,
      outputOption,
      ...clusterOptions,
    ],
    after: `
Examples:
  # a node of the current context; without a kubeconfig, of the \`lull up\` on this machine
  $ lull why ip-10-0-2-18

  # a node of \`lull up\`, where there is a kubeconfig too
  $ lull why ml-1 --server ${usualServer()}

  # a pod of another cluster, decided here with the settings of the Lull that leads there
  $ lull why pod/data/reports-0 --context production

  # a node, a pod and a pool from the output of kubectl
  $ kubectl get nodes,pods,nodepools,nodeclaims,pdb,namespaces,daemonsets -A -o yaml > now.yaml
  $ lull why ip-10-0-2-18 -f now.yaml
  $ lull why pod/data/reports-0 -f now.yaml
  $ lull why pool/general -f now.yaml --at 2026-11-17T10:20:00Z

  # ask another running Lull, in JSON
  $ lull why web-3 --server http://127.0.0.1:7728 -o json
`,
    load: () => import('../why/whyCommand.ts').then(({ why }) => why),
  },
  {
    name: 'forecast',
    summary: 'Print when a roll will finish, what stays held, and which nodes expire first',
    description:
      'Copy the cluster and simulate it forward several times, with new nodes starting as fast as recent ones did. Print when each pool and zone is done, what stays held and why, and whether the roll finishes before nodes expire.\nNothing is written to the cluster. Changes that people make in the meantime are not foreseen.',
    arguments: [
      new Argument(
        '[files...]',
        'file with a Scenario, to forecast from the start of its roll without the rest of its script; other files are objects, as with -f',
      ),
    ],
    options: [
      fileOption,
      option('--at <instant>', 'start of the forecast, RFC 3339 (default: now)', instantFlag),
      settingsInForceOption,
      setOption,
      serverOption,
      option(
        '--by <instant>',
        'print whether it is done by then, and if not, with what budget it would be; RFC 3339',
        instantFlag,
      ),
      option('--check', 'with a scenario: simulate it to the end, and print the error of the forecast'),
      option('--all', 'print every node, not only the first ones'),
      zoneOption,
      outputOption,
      ...clusterOptions,
    ],
    after: `
Examples:
  # the current context; without a kubeconfig, the \`lull up\` on this machine
  $ lull forecast

  # another cluster, with every node
  $ lull forecast --context production --all

  # preview a NodePool before applying it
  $ lull forecast --context production -f nodepool.yaml

  # is it done before the sale, and if not, what budget would it need?
  $ lull forecast --by 2026-11-27T00:00:00Z

  # a scenario from the start of its roll, and the error of the forecast
  $ lull forecast scenarios/zone-by-zone.yaml --check

  # a snapshot, in JSON
  $ lull snapshot -o now.ndjson.gz
  $ lull forecast -f now.ndjson.gz --at 2026-11-16T09:00:00Z -o json
`,
    load: () => import('../forecast/forecastCommand.ts').then(({ forecast }) => forecast),
  },
];
