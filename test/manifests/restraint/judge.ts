// Evaluates a ValidatingAdmissionPolicy offline: what it matches, its parameters, variables and messages.
import { Environment } from '@marcbachmann/cel-js';
import type { Manifest } from '../../../src/cli/install/manifests/manifest.ts';
import type { Plain } from './case.ts';

export interface Asked {
  readonly user: string;
  /** The pod that the user's token is bound to. */
  readonly podUid?: string;
  readonly operation: string;
  readonly resource: string;
  readonly subResource?: string;
  readonly namespace?: string;
  readonly options?: Plain;
  readonly object: Plain | null;
  readonly oldObject: Plain | null;
}

interface PolicySpec {
  readonly paramKind?: { readonly kind: string };
  readonly matchConstraints: {
    readonly namespaceSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly resourceRules: readonly {
      readonly resources: readonly string[];
      readonly operations: readonly string[];
    }[];
  };
  readonly matchConditions: readonly { readonly expression: string }[];
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly { readonly expression: string; readonly message: string }[];
}

interface BindingSpec {
  readonly paramRef?: {
    readonly selector: { readonly matchExpressions?: readonly { readonly key: string; readonly operator: string }[] };
  };
}

const environment = new Environment({ unlistedVariablesAreDyn: true });

/** The refusals; empty = it is allowed. `manifests`: policies and their bindings. */
export function judge(manifests: readonly Manifest[], asked: Asked, around: readonly Plain[]): readonly string[] {
  return manifests
    .filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
    .flatMap(({ metadata, spec }) => {
      const policy = spec as PolicySpec;
      if (!isMeant(policy, asked)) return [];
      const binding = manifests.find((it) => it.kind.endsWith('Binding') && it.metadata.name === metadata.name);
      const { paramRef } = (binding?.spec ?? {}) as BindingSpec;
      if (!policy.paramKind || !paramRef) return judgeBy(policy, asked);
      const params = around.filter((it) => it.kind === policy.paramKind?.kind && isSelected(it, paramRef.selector));
      return params.flatMap((it) => judgeBy(policy, asked, it));
    });
}

function isSelected({ metadata }: Plain, { matchExpressions = [] }: { matchExpressions?: readonly Plain[] }): boolean {
  const labels = (metadata as { labels?: Plain }).labels ?? {};
  return matchExpressions.every(({ key, operator }) => {
    if (operator !== 'DoesNotExist') throw new Error(`Unknown operator ${operator}`);
    return !((key as string) in labels);
  });
}

function isMeant({ matchConstraints, matchConditions }: PolicySpec, asked: Asked): boolean {
  const { operation, resource, subResource, namespace } = asked;
  const path = subResource === undefined ? resource : `${resource}/${subResource}`;
  const [only] = Object.values(matchConstraints.namespaceSelector?.matchLabels ?? {});
  const [rule] = matchConstraints.resourceRules;
  const isOn = rule?.resources.some((it) => it === path || (subResource !== undefined && it === `${resource}/*`));
  if (!isOn || !rule?.operations.includes(operation) || (only !== undefined && only !== namespace)) return false;
  return matchConditions.every(({ expression }) => run(expression, givenBy(asked)) === true);
}

function givenBy({ user, podUid, operation, namespace, subResource, options, object, oldObject }: Asked): Plain {
  const extra = podUid !== undefined && { extra: { 'authentication.kubernetes.io/pod-uid': [podUid] } };
  const request = {
    userInfo: { username: user, ...extra },
    operation,
    ...(namespace !== undefined && { namespace }),
    ...(subResource !== undefined && { subResource }),
    ...(options && { options: celValue(options) }),
  };
  return { request, object: celValue(object), oldObject: celValue(oldObject) };
}

/** A rule that cannot be evaluated refuses: failurePolicy is Fail. */
function judgeBy({ variables, validations }: PolicySpec, asked: Asked, params?: Plain): string[] {
  const given = { ...givenBy(asked), ...(params && { params: celValue(params) }) };
  // Like the API server: evaluated when first used.
  const known: Record<string, unknown> = {};
  for (const { name, expression } of variables) {
    Object.defineProperty(known, name, {
      enumerable: true,
      get: () => run(expression, { ...given, variables: known }),
    });
  }
  return validations.flatMap(({ expression, message }) => {
    try {
      return run(expression, { ...given, variables: known }) === true ? [] : [message];
    } catch (error) {
      return [`${message} (${(error as Error).message.split('\n')[0]})`];
    }
  });
}

const parsed = new Map<string, ReturnType<Environment['parse']>>();

function run(expression: string, given: Plain): unknown {
  const known = parsed.get(expression) ?? environment.parse(expression);
  parsed.set(expression, known);
  return known(given);
}

/** Whole numbers are 64-bit integers in CEL. */
function celValue(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, celValue(item)]));
}
