// Commands for policies: when, explain, lint, convert and settings.
import { Argument, Option } from 'commander';
import { zoneFlag } from '../outputZone.ts';
import type { CommandEntry } from './command.ts';
import {
  clusterOptions,
  fileOption,
  filesArgument,
  instantFlag,
  listFlag,
  option,
  outputOption,
  setOption,
  settingsOption,
  wholeFlag,
  zoneOption,
} from './options.ts';

export const policies: readonly CommandEntry[] = [
  {
    name: 'when',
    summary: 'Print when a schedule fires and when its window is open',
    description:
      'Print when a schedule fires and, with a duration, when its window is open; or the same for every schedule in files or in a cluster.',
    arguments: [
      new Argument(
        '[cron...]',
        'quoted cron expression: minute, hour, day of month, month, day of week; or files, as with -f',
      ),
    ],
    options: [
      option('-f, --file <path>', 'file or folder whose schedules to print instead; - for stdin; repeatable', listFlag),
      option('-d, --duration <length>', 'how long the window is open each time, such as 8h or 1h30m'),
      option(
        '-z, --zone <name>',
        'time zone of the schedule and of the output, such as Europe/Berlin, or local (default: UTC); with -f or --context, of the output only (default: the zone of each schedule)',
        zoneFlag,
      ),
      option('--from <instant>', 'start, RFC 3339 (default: now)', instantFlag),
      option('-n, --count <number>', 'how many times to print', wholeFlag(1, 10_000), 5),
      outputOption,
      ...clusterOptions,
    ],
    after: `
Examples:
  # the next five times it fires
  $ lull when '0 9 * * mon-fri'

  # a window: office hours in Berlin, from a Friday on
  $ lull when '0 9 * * mon-fri' --duration 8h --zone Europe/Berlin --from 2026-11-13T12:00:00Z

  # every schedule in a snapshot: budgets, maintenance windows, pods
  $ lull when -f snapshot.yaml -o json

  # every schedule in a cluster
  $ lull when --context production
`,
    load: () => import('../when/when.ts').then(({ when }) => when),
  },
  {
    name: 'explain',
    summary: 'Describe a policy in sentences and as a weekly chart',
    description:
      'Describe a policy in sentences: for each pool and reason, when nodes may be disrupted and how many at a time, as all budgets\nand windows together allow; then windows, pod schedules, and the pods that restrict when they move.',
    arguments: [filesArgument],
    options: [
      fileOption,
      option('--at <instant>', 'time of the description, RFC 3339 (default: now)', instantFlag),
      settingsOption,
      setOption,
      zoneOption,
      outputOption,
      ...clusterOptions,
    ],
    after: `
Examples:
  # the policy of the cluster of the current context
  $ lull explain

  # a pool before it is applied
  $ lull explain -f nodepool.yaml

  # with the nodes of the cluster, so that percentages become numbers
  $ kubectl get nodes,pods,nodepools,nodeclaims,maintenancewindows -A -o yaml | lull explain -f -

  # the week before Christmas, with budgets read as Karpenter reads them
  $ lull explain -f policy/ --at 2026-12-21T09:00:00Z --set defaultBudgets=ceiling

  # the hours of each reason, in JSON
  $ lull explain -f nodepool.yaml -o json | jq '.pools[].reasons[] | {reason, week}'
`,
    load: () => import('../explain/explain.ts').then(({ explain }) => explain),
  },
  {
    name: 'lint',
    summary: 'Find mistakes in a policy',
    description:
      'Find budgets, windows and schedules that are wrong or do not mean what they seem to, and suggest what to write instead.',
    arguments: [filesArgument],
    options: [
      fileOption,
      option('--strict', 'exit with status 1 for warnings too'),
      option('--fix', 'write unambiguous fixes into the files'),
      option('--at <instant>', 'time of the check, RFC 3339 (default: now)', instantFlag),
      settingsOption,
      setOption,
      zoneOption,
      new Option('-o, --output <form>', 'output format').choices(['text', 'json', 'github', 'sarif']).default('text'),
      ...clusterOptions,
    ],
    after: `
Examples:
  # budgets, windows and schedules before they are applied
  $ lull lint -f policy/

  # the policy of the cluster of the current context
  $ lull lint

  # files on top of a cluster, whose nodes and pods percentages and selectors are checked against
  $ lull lint -f policy/ --context production

  # the same from the output of kubectl
  $ kubectl get nodepools,nodes,nodeclaims,pods,pdb,namespaces -A -o yaml | lull lint -f policy/ -f -

  # in CI: annotate the lines, and fail on warnings too
  $ lull lint -f policy/ -o github --strict

  # write unambiguous fixes into the files, such as current names for old ones
  $ lull lint -f policy/ --fix

Exit status: 0 no errors, 1 errors (with --strict: or warnings), 2 wrong usage or unreadable input.
`,
    load: () => import('../lint/lint.ts').then(({ lintObjects }) => lintObjects),
  },
  {
    name: 'convert',
    summary: 'Rewrite old fields of a policy as current ones',
    description:
      'Rewrite old kinds and fields as current ones: Provisioners, v1beta1, crontab, maxUnavailable, blocks per reason, do-not-evict.\nComments and everything else stay as they are. Each change is printed to stderr, with its effect on behaviour.',
    arguments: [filesArgument],
    options: [
      option('-f, --file <path>', 'file or folder with objects in YAML or JSON; - for stdin; repeatable', listFlag),
      option('--write', 'write the files in place'),
      option(
        '-o, --output <where>',
        'folder to write to, or json for texts and notes as JSON (default: texts to stdout)',
      ),
    ],
    after: `
Examples:
  # to stdout; changes and their effects to stderr
  $ lull convert -f provisioner.yaml > nodepool.yaml

  # in place, a whole folder
  $ lull convert -f policies/ --write

  # to another folder, or as JSON
  $ lull convert -f policies/ -o converted/
  $ lull convert -f nodepool.yaml -o json
`,
    load: () => import('../lint/convert.ts').then(({ convert }) => convert),
  },
  {
    name: 'settings',
    summary: 'Print the effective settings',
    description: 'Print the effective settings: the defaults, overridden by the file, overridden by --set.',
    options: [settingsOption, setOption, outputOption],
    after: `
Examples:
  # the defaults
  $ lull settings

  # a file with one setting overridden
  $ lull settings --settings lull.yaml --set role=guide -o yaml
`,
    load: () => import('../settingsInput.ts').then(({ printSettings }) => printSettings),
  },
];
