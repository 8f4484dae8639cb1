// The paths of a real cluster's files, all of them below .cluster, which git ignores.
import { join, resolve } from 'node:path';
import { chosenPair, isDefault, type Pair } from './versions.ts';

export const root = resolve(import.meta.dirname, '../..');
export const base = join(root, '.cluster');
export const bin = join(base, 'bin');
/** Files that are not programs: KWOK's stages, and Karpenter's CRDs if its version is the default. */
export const share = join(base, 'share');

/** The folder of one version's programs and files: .cluster itself for the default. */
export const homeOf = (what: keyof Pair, version: string): string =>
  isDefault(what, version) ? base : join(base, 'versions', `${what}-${version}`);

const chosenHome = (what: keyof Pair): string => homeOf(what, chosenPair[what]);

/** Clusters of another pair have separate folders: 90-permissions reads what the stories of the default left. */
export const runs = join(
  base,
  ...(isDefault('kubernetes', chosenPair.kubernetes) && isDefault('karpenter', chosenPair.karpenter)
    ? ['run']
    : ['versions', `run-${chosenPair.kubernetes}-${chosenPair.karpenter}`]),
);

/** As Karpenter's version ships them. */
export const crds = join(chosenHome('karpenter'), 'share', 'crds');

/** The programs that exist per version. The default's etcd, KWOK and kubectl work with every version. */
const versioned: Readonly<Record<string, keyof Pair>> = {
  'kube-apiserver': 'kubernetes',
  'kube-controller-manager': 'kubernetes',
  'kube-scheduler': 'kubernetes',
  karpenter: 'karpenter',
};

export function program(name: string): string {
  const what = versioned[name];
  return join(what ? chosenHome(what) : base, 'bin', name);
}

/** The folder of one cluster: its keys, data, logs and process numbers. */
export const runFolder = (name: string): string => join(runs, name);
