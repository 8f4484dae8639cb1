// How is one field masked? A rule for each form that a field can have; what has no rule is left out.
import { isMap, type Json } from '../../kinds/reader.ts';
import type { Masks, Sort } from './masks.ts';

/** Undefined = nothing of it is kept. */
export type Rule = (value: unknown, masks: Masks) => unknown;

export const keep: Rule = (value) => value;

/** Names that are texts; anything else was broken, and stays so. */
export const name =
  (sort: Sort): Rule =>
  (value, masks) =>
    typeof value === 'string' ? masks.name(sort, value) : value;

export const digest: Rule = (value, masks) =>
  value === undefined || value === '' ? value : masks.digest(JSON.stringify(value));

/** Only compared with others of its kind. */
export const digestMap: Rule = (value, masks) => (isMap(value) ? { digest: digest(value, masks) } : value);

/** A word of Kubernetes' or Karpenter's own, not a sentence. */
export const word: Rule = (value) => (typeof value === 'string' && /^[A-Za-z]{1,63}$/.test(value) ? value : undefined);

/** What people wrote for people. That it is there may matter. */
export const freeText: Rule = (value) => (typeof value === 'string' && value !== '' ? 'masked' : value);

/** Fields of a map, or of each map of a list. */
export const fields = (rules: Readonly<Record<string, Rule>>): Rule => {
  const rule: Rule = (value, masks) => {
    if (Array.isArray(value)) return value.map((item) => rule(item, masks));
    if (!isMap(value)) return value;
    const kept: [string, unknown][] = [];
    for (const field of Object.keys(rules)) {
      const masked = Object.hasOwn(value, field) ? rules[field]?.(value[field], masks) : undefined;
      if (masked !== undefined) kept.push([field, masked]);
    }
    return Object.fromEntries(kept);
  };
  return rule;
};

export const each =
  (rule: Rule): Rule =>
  (value, masks) =>
    Array.isArray(value) ? value.map((item) => rule(item, masks)) : value;

/** Keys that everybody knows say nothing of anybody. */
const knownDomains =
  /^([a-z0-9-]+\.)*(kubernetes\.io|k8s\.io|karpenter\.sh|karpenter\.k8s\.aws|karpenter\.kwok\.sh|karpenter\.azure\.com|lull\.dev|cloud\.google\.com)$/;
const knownPrefixes = new Set(['eks-node-viewer', 'aws-node-termination-handler']);

function isKnownKey(key: string): boolean {
  const prefix = key.slice(0, Math.max(0, key.indexOf('/')));
  return key === 'pod-template-hash' || knownDomains.test(prefix) || knownPrefixes.has(prefix);
}

export const keyOf = (key: string, masks: Masks): string => (isKnownKey(key) ? key : masks.name('key', key));

export const labelKey: Rule = (value, masks) => (typeof value === 'string' ? keyOf(value, masks) : value);

/** Labels that name something else. */
const naming: ReadonlyMap<string, Sort> = new Map([
  ['karpenter.sh/nodepool', 'pool'],
  ['karpenter.sh/provisioner-name', 'pool'],
  ['kubernetes.io/hostname', 'node'],
  ['kubernetes.io/metadata.name', 'namespace'],
]);

/** What a cloud calls its machines and places, and what Karpenter says of a node. */
const speaking =
  /^(topology\.kubernetes\.io\/|failure-domain\.beta\.kubernetes\.io\/|(beta|node)\.kubernetes\.io\/(instance-type|arch|os|windows-build)$|(beta\.)?kubernetes\.io\/(arch|os)$|karpenter\.sh\/(capacity-type|initialized|registered|disrupted)$|karpenter\.(k8s\.aws|kwok\.sh|azure\.com)\/instance-|lull\.dev\/|eks-node-viewer\/)/;

const plainWords = new Set(['', 'true', 'false']);

export function labelValue(key: string, value: string, masks: Masks): string {
  const sort = naming.get(key);
  if (sort) return masks.name(sort, value);
  if (speaking.test(key) || plainWords.has(value) || (masks.numeric.has(key) && /^-?\d+$/.test(value))) return value;
  return masks.name('value', value);
}

export const labels: Rule = (value, masks) =>
  mapEntries(value, (key, text) => [keyOf(key, masks), labelValue(key, text, masks)]);

export function mapEntries(value: unknown, mask: (key: string, text: string) => readonly [string, unknown]): unknown {
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, text]) => (typeof text === 'string' ? mask(key, text) : [key, text])),
  );
}

const numericOperators = new Set<unknown>(['Gt', 'Lt', 'Gte', 'Lte']);

/** `key operator values`, of selectors, requirements and affinities. */
export const requirements: Rule = each((value, masks) => {
  if (!isMap(value)) return value;
  const { key, operator, values, minValues } = value;
  const about = typeof key === 'string' ? key : '';
  if (numericOperators.has(operator)) masks.numeric.add(about);
  const masked = (text: unknown): unknown => (typeof text === 'string' ? labelValue(about, text, masks) : text);
  return {
    ...(key !== undefined && { key: labelKey(key, masks) }),
    ...(operator !== undefined && { operator }),
    ...(values !== undefined && { values: Array.isArray(values) ? values.map(masked) : values }),
    ...(minValues !== undefined && { minValues }),
  };
});

export const selector: Rule = fields({ matchLabels: labels, matchExpressions: requirements });

const usualResources = /^(cpu|memory|nodes|pods|ephemeral-storage|storage|hugepages-.*|(nvidia|amd)\.com\/gpu)$/;

/** Amounts by resource. */
export const resources: Rule = (value, masks) =>
  isMap(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, amount]) => [usualResources.test(key) ? key : keyOf(key, masks), amount]),
      )
    : value;

export const taints: Rule = each((value, masks) => {
  if (!isMap(value)) return value;
  const { key, value: text, effect, timeAdded, operator, tolerationSeconds } = value as Json;
  const isOurs = key === 'lull.dev/disrupted';
  const masked = typeof key === 'string' && typeof text === 'string' && !isOurs ? labelValue(key, text, masks) : text;
  return {
    ...(key !== undefined && { key: labelKey(key, masks) }),
    ...(operator !== undefined && { operator }),
    ...(text !== undefined && { value: masked }),
    ...(effect !== undefined && { effect }),
    ...(timeAdded !== undefined && { timeAdded }),
    ...(tolerationSeconds !== undefined && { tolerationSeconds }),
  };
});
