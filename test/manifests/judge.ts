// Would the API server let this request through? A ValidatingAdmissionPolicy run offline: whom it means, its variables, and what it says.
import { Environment } from '@marcbachmann/cel-js';
import type { Manifest } from '../../src/cli/manifests/manifest.ts';
import type { Plain } from './restraintCases.ts';

export interface Asked {
  readonly user: string;
  readonly operation: string;
  readonly resource: string;
  readonly subResource?: string;
  readonly object: Plain | null;
  readonly oldObject: Plain | null;
}

interface PolicySpec {
  readonly matchConstraints: { readonly resourceRules: readonly { readonly resources: readonly string[] }[] };
  readonly matchConditions: readonly { readonly expression: string }[];
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly { readonly expression: string; readonly message: string }[];
}

const environment = new Environment({ unlistedVariablesAreDyn: true });

/** What is said against it; empty = it goes through. A rule that cannot be run refuses: failurePolicy is Fail. */
export function judge(policies: readonly Manifest[], asked: Asked): readonly string[] {
  return policies.flatMap(({ spec }) => judgeBy(spec as PolicySpec, asked));
}

function judgeBy({ matchConstraints, matchConditions, variables, validations }: PolicySpec, asked: Asked): string[] {
  const { user, operation, resource, subResource, object, oldObject } = asked;
  const path = subResource === undefined ? resource : `${resource}/${subResource}`;
  const isMeant = matchConstraints.resourceRules[0]?.resources.some(
    (it) => it === path || (subResource !== undefined && it === `${resource}/*`),
  );
  const request = { userInfo: { username: user }, operation, ...(subResource !== undefined && { subResource }) };
  const given = { request, object: celValue(object), oldObject: celValue(oldObject) };
  if (!isMeant || !matchConditions.every(({ expression }) => run(expression, given) === true)) return [];
  // As the API server has it: worked out when first asked for.
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

const run = (expression: string, given: Plain): unknown => environment.parse(expression)(given);

/** Whole numbers are 64-bit integers in CEL. */
function celValue(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, celValue(item)]));
}
