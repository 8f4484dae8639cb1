// The versions of Kubernetes and Karpenter that tests run on: the list in versions.json, and the pair chosen for this process.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Pair {
  /** Whole versions, as 1.30.14. */
  readonly kubernetes: string;
  readonly karpenter: string;
}

interface VersionList {
  /** The first is the default, which the go.mod files of the two folders beside this file pin. */
  readonly pairs: readonly Pair[];
  /** The stories that every pair runs, the most important first, with the minutes each may take. */
  readonly stories: Readonly<Record<string, number>>;
}

export const versionList: VersionList = JSON.parse(readFileSync(join(import.meta.dirname, 'versions.json'), 'utf8'));

export const nameOf = ({ kubernetes, karpenter }: Pair): string => `Kubernetes ${kubernetes}, Karpenter ${karpenter}`;

/** Environment variables that choose a pair; the default if they are absent. */
const variables = { kubernetes: 'LULL_KUBERNETES', karpenter: 'LULL_KARPENTER' } as const;

export const environmentOf = (pair: Pair): Readonly<Record<string, string>> => ({
  [variables.kubernetes]: pair.kubernetes,
  [variables.karpenter]: pair.karpenter,
});

/** The whole version in the list that a text names, as 1.30 or v1.30.14. */
export function wholeVersion(what: keyof Pair, text: string): string {
  const wanted = text.replace(/^v/, '');
  const known = [...new Set(versionList.pairs.map((pair) => pair[what]))];
  const found = known.find((version) => `${version}.`.startsWith(`${wanted}.`));
  if (found === undefined) throw new Error(`Unknown ${what} "${text}": versions.json has ${known.join(', ')}`);
  return found;
}

const [first] = versionList.pairs;
if (!first) throw new Error('versions.json has no pairs');
export const defaultPair: Pair = first;

const fromEnvironment = (what: keyof Pair): string => {
  const text = process.env[variables[what]];
  return text ? wholeVersion(what, text) : defaultPair[what];
};

/** What this process and its children run. */
export const chosenPair: Pair = {
  kubernetes: fromEnvironment('kubernetes'),
  karpenter: fromEnvironment('karpenter'),
};

export const isDefault = (what: keyof Pair, version: string): boolean => version === defaultPair[what];
