// Commands for setting up: install, uninstall, crds and completion.
import { Argument, Option } from 'commander';
import { usualNamespace } from '../flags.ts';
import type { CommandEntry } from './command.ts';
import { clusterOptions, formOption, listFlag, option, outputOption } from './options.ts';

export const setup: readonly CommandEntry[] = [
  {
    name: 'install',
    summary: 'Install Lull into a cluster',
    description:
      "Install what Lull needs into a cluster: its CustomResourceDefinitions, a namespace, RBAC with only the verbs that its role uses, admission policies that limit Lull to its own annotations and, in guide, park new nodes when they are created, its settings, and, with --image, Lull itself. Running it again changes only what differs. It does not overwrite fields of other owners without --force-conflicts, nor change Karpenter's NodePool without --patch-nodepool-crd.",
    options: [
      option('--namespace <name>', 'namespace of Lull', usualNamespace),
      option(
        '--image <image>',
        'container image of Lull; adds the Deployment and the CronJob that releases stale nodes',
      ),
      option('--settings <file>', 'settings in YAML or JSON, instead of the installed ones'),
      option('--set <key=value>', 'one setting, overrides the file or the installed settings; repeatable', listFlag),
      option('--patch-nodepool-crd', "add Lull's fields to Karpenter's NodePool (lull crds --patch-nodepool)"),
      option('--force-conflicts', 'overwrite fields of other owners'),
      option('--dry-run', 'print the manifests, from the flags alone, without changing anything'),
      formOption('output format (default: text; yaml with --dry-run)'),
      ...clusterOptions,
    ],
    after: `
Examples:
  # for the role observe, in the cluster of the current context; nodes are not changed
  $ lull install

  # print the manifests for review or for git, without a cluster
  $ lull install --set role=guide --dry-run > lull.yaml

  # install for the role guide and run Lull there; no image is published, so build one
  $ lull install --set role=guide --image registry.example.com/lull:1.0

  # again after an upgrade; settings and image stay as they are
  $ lull install
`,
    load: () => import('../install/install.ts').then(({ install }) => install),
  },
  {
    name: 'uninstall',
    summary: 'Remove Lull from a cluster',
    description:
      'Remove Lull from a cluster: stop its Deployment, remove everything Lull wrote (as `lull release` does), and delete what `lull install` created. CustomResourceDefinitions stay while objects of their kinds exist, unless --with-crds is given.',
    options: [
      option('--namespace <name>', 'namespace of Lull', usualNamespace),
      option(
        '--with-crds',
        'delete the CustomResourceDefinitions, and with them every MaintenanceWindow, PodDisruptionSchedule and HealthGate',
      ),
      option('--dry-run', 'print what would be removed without changing anything'),
      option('--yes', 'do not ask for confirmation'),
      outputOption,
      ...clusterOptions,
    ],
    after: `
Examples:
  # see what would be removed
  $ lull uninstall --dry-run

  # release every node, then remove Lull; windows and schedules stay
  $ lull uninstall

  # remove those too, without asking
  $ lull uninstall --with-crds --yes
`,
    load: () => import('../install/uninstall.ts').then(({ uninstallHere }) => uninstallHere),
  },
  {
    name: 'crds',
    summary: "Print Lull's CustomResourceDefinitions, or a patch for Karpenter's",
    description:
      "Print the CustomResourceDefinitions that Lull needs. The NodePool of clusters without Karpenter is printed only when named: applied beside Karpenter, it would replace Karpenter's own.",
    arguments: [new Argument('[names...]', 'kinds, plurals or short names (default: all but the NodePool)')],
    options: [
      option(
        '--patch-nodepool <file>',
        "print a JSON patch that adds Lull's fields to this CRD of Karpenter; - for stdin",
      ),
      new Option('-o, --output <form>', 'output format').choices(['yaml', 'json']).default('yaml'),
    ],
    after: `
Examples:
  # install Lull's CRDs; Karpenter's are not changed
  $ lull crds | kubectl apply -f -

  # one CRD, by kind, plural or short name
  $ lull crds mw -o json

  # the NodePool, for a cluster without Karpenter
  $ lull crds nodepools

  # add Lull's fields to Karpenter's NodePool
  $ kubectl get crd nodepools.karpenter.sh -o yaml | lull crds --patch-nodepool - -o json > patch.json
  $ kubectl patch crd nodepools.karpenter.sh --type json --patch-file patch.json
`,
    load: () => import('../crdsCommand.ts').then(({ crds }) => crds),
  },
  {
    name: 'completion',
    summary: 'Print a shell completion script',
    description: 'Print a script that completes the commands and flags of lull in bash, zsh or fish.',
    arguments: [new Argument('<shell>', 'name of the shell').choices(['bash', 'zsh', 'fish'])],
    after: `
Examples:
  # in this terminal; add it to ~/.bashrc for every terminal
  $ source <(lull completion bash)

  # zsh: in a folder of its fpath
  $ lull completion zsh > ~/.zfunc/_lull

  # fish
  $ lull completion fish > ~/.config/fish/completions/lull.fish
`,
    load: () => import('../completion/completion.ts').then(({ completion }) => completion),
  },
];
