// The Go modules that the binaries of a real cluster are built from, and stamps that say what was built.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { base, homeOf } from './places.ts';
import { chosenPair, defaultPair, isDefault, type Pair } from './versions.ts';

export interface Module {
  /** A folder beside this file, with its go.mod; or the name of a generated one. */
  readonly folder: string;
  readonly ldflags: string;
  /** The names that Go gives them, and those used here: both KWOK and Karpenter's provider are built as `kwok`. */
  readonly programs: Readonly<Record<string, string>>;
  /** Files copied from a Go module: the module, its files, and the folder of `share` they are copied to. */
  readonly files: readonly { readonly of: string; readonly paths: readonly string[]; readonly to: string }[];
  /** Absent: built from the go.mod beside this file, into .cluster. */
  readonly generated?: GeneratedModule;
}

/** A module whose go.mod is generated from that of another version (generate.ts). */
export interface GeneratedModule {
  readonly what: keyof Pair;
  readonly of: string;
  /** As 1.30.14. */
  readonly version: string;
  readonly packages: readonly string[];
}

const versionPackage = 'k8s.io/component-base/version';

/** The version that Kubernetes reports. */
function kubernetesFlags(version: string): string {
  const [major, minor] = version.split('.');
  const set = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor };
  return ['-s -w', ...Object.entries(set).map(([name, value]) => `-X ${versionPackage}.${name}=${value}`)].join(' ');
}

const controlPlane = {
  'kube-apiserver': 'kube-apiserver',
  'kube-controller-manager': 'kube-controller-manager',
  'kube-scheduler': 'kube-scheduler',
};

const karpenterParts = {
  ldflags: '-s -w',
  programs: { kwok: 'karpenter' },
  files: [{ of: 'sigs.k8s.io/karpenter', paths: ['kwok/charts/crds', 'kwok/apis/crds'], to: 'crds' }],
};

const defaults: Readonly<Record<keyof Pair, Module>> = {
  kubernetes: {
    folder: 'kubernetes',
    ldflags: kubernetesFlags(defaultPair.kubernetes),
    programs: { server: 'etcd', ...controlPlane, kubectl: 'kubectl', kwok: 'kwok' },
    files: [
      {
        of: 'sigs.k8s.io/kwok',
        paths: ['node/fast', 'node/heartbeat-with-lease', 'pod/fast'].map((path) => `kustomize/stage/${path}`),
        to: 'stages',
      },
    ],
  },
  karpenter: { folder: 'karpenter', ...karpenterParts },
};

function kubernetesOf(version: string): Module {
  if (isDefault('kubernetes', version)) return defaults.kubernetes;
  const of = 'k8s.io/kubernetes';
  const packages = Object.keys(controlPlane).map((name) => `${of}/cmd/${name}`);
  return {
    folder: `kubernetes-${version}`,
    ldflags: kubernetesFlags(version),
    programs: controlPlane,
    files: [],
    generated: { what: 'kubernetes', of, version, packages },
  };
}

function karpenterOf(version: string): Module {
  if (isDefault('karpenter', version)) return defaults.karpenter;
  const of = 'sigs.k8s.io/karpenter';
  return {
    folder: `karpenter-${version}`,
    ...karpenterParts,
    generated: { what: 'karpenter', of, version, packages: [`${of}/kwok`] },
  };
}

/** What the chosen pair needs: etcd, KWOK and kubectl of the default work with every version. */
export const modules: readonly Module[] = [
  ...new Set([defaults.kubernetes, kubernetesOf(chosenPair.kubernetes), karpenterOf(chosenPair.karpenter)]),
];

/** AWS's own provider; separate, because it takes minutes to build and only its stories need it. */
export const awsModule: Module = {
  folder: 'aws',
  ldflags: '-s -w',
  programs: { controller: 'karpenter-aws' },
  files: [{ of: 'github.com/aws/karpenter-provider-aws', paths: ['pkg/apis/crds'], to: 'aws-crds' }],
};

/** For a real node; separate, so that machines that cannot run one do not build it. */
export const nodeModule: Module = {
  folder: 'kubelet',
  ldflags: kubernetesFlags(defaultPair.kubernetes),
  programs: { kubelet: 'kubelet', 'kube-proxy': 'kube-proxy' },
  files: [],
};

const home = ({ generated }: Module): string => (generated ? homeOf(generated.what, generated.version) : base);

export const binOf = (module: Module): string => join(home(module), 'bin');
export const shareOf = (module: Module): string => join(home(module), 'share');
export const stampFile = (module: Module): string => join(home(module), `${module.folder}.stamp`);
/** Where its go.mod is. */
export const moduleFolder = (module: Module): string =>
  module.generated ? join(home(module), 'module') : join(import.meta.dirname, module.folder);

/** Changes with the versions and the way of the build. */
export function stampOf(module: Module): string {
  const hash = createHash('sha256').update(JSON.stringify(module));
  // The go.mod of a generated module follows from its version.
  const files = module.generated
    ? [join(import.meta.dirname, 'generate.ts')]
    : ['go.mod', 'go.sum'].map((file) => join(moduleFolder(module), file));
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex');
}

export function isBuilt(module: Module): boolean {
  const here = [
    ...Object.values(module.programs).map((name) => join(binOf(module), name)),
    ...module.files.map(({ to }) => join(shareOf(module), to)),
  ];
  if (![stampFile(module), ...here].every((path) => existsSync(path))) return false;
  return readFileSync(stampFile(module), 'utf8') === stampOf(module);
}

/** As `go1.26.8`; undefined if Go is not installed. */
export function goVersion(): string | undefined {
  try {
    return execFileSync('go', ['env', 'GOVERSION'], { encoding: 'utf8', cwd: import.meta.dirname }).trim();
  } catch {
    return undefined;
  }
}

/** Why no cluster can be started here; undefined = one can. */
export function whyNoCluster(): string | undefined {
  if (modules.every(isBuilt)) return undefined;
  return goVersion() ? 'The real cluster is not built, or not of what go.mod says. Run: npm run cluster:build' : noGo;
}

export const noGo =
  'Go is not installed, so the real cluster cannot be built: its tests are skipped. Install Go 1.26 or newer and run: npm run cluster:build';
