// What is a real cluster built from, and is it built? Two Go modules that hold nothing but a list of tools, and a stamp that says of what.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { base, program, share } from './places.ts';

const kubernetes = 'v1.36.3';
const version = 'k8s.io/component-base/version';

export interface Module {
  /** A folder beside this file, with its go.mod. */
  readonly folder: string;
  readonly ldflags: string;
  /** As Go calls them, and as they are called here: both KWOK and Karpenter's provider come out as `kwok`. */
  readonly programs: Readonly<Record<string, string>>;
  /** What is taken from a module of Go as it is: the module, its files, and the folder of `share` they go to. */
  readonly files: readonly { readonly of: string; readonly paths: readonly string[]; readonly to: string }[];
}

export const modules: readonly Module[] = [
  {
    folder: 'kubernetes',
    ldflags: `-s -w -X ${version}.gitVersion=${kubernetes} -X ${version}.gitMajor=1 -X ${version}.gitMinor=36`,
    programs: {
      server: 'etcd',
      'kube-apiserver': 'kube-apiserver',
      'kube-controller-manager': 'kube-controller-manager',
      'kube-scheduler': 'kube-scheduler',
      kubectl: 'kubectl',
      kwok: 'kwok',
    },
    files: [
      {
        of: 'sigs.k8s.io/kwok',
        paths: ['node/fast', 'node/heartbeat-with-lease', 'pod/fast'].map((path) => `kustomize/stage/${path}`),
        to: 'stages',
      },
    ],
  },
  {
    folder: 'karpenter',
    ldflags: '-s -w',
    programs: { kwok: 'karpenter' },
    files: [{ of: 'sigs.k8s.io/karpenter', paths: ['kwok/charts/crds', 'kwok/apis/crds'], to: 'crds' }],
  },
];

export const moduleFolder = ({ folder }: Module): string => join(import.meta.dirname, folder);
export const stampFile = ({ folder }: Module): string => join(base, `${folder}.stamp`);

/** Changes with every version of what is built, and with how. */
export function stampOf(module: Module): string {
  const hash = createHash('sha256').update(JSON.stringify(module));
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(moduleFolder(module), file)));
  return hash.digest('hex');
}

export function isBuilt(module: Module): boolean {
  const here = [...Object.values(module.programs).map(program), ...module.files.map(({ to }) => join(share, to))];
  if (![stampFile(module), ...here].every((path) => existsSync(path))) return false;
  return readFileSync(stampFile(module), 'utf8') === stampOf(module);
}

/** As `go1.26.8`; undefined where there is no Go. */
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
