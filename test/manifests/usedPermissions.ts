// Compares Lull's permissions with the requests in the API server's audit log, both ways.
import type { Permission } from '../../src/kube/permissions.ts';

/** One request, as in the audit log. */
export interface Request {
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  /** With its subresource. */
  readonly resource: string;
  readonly code: number;
  /** `forbid` = RBAC refused it. */
  readonly decision: string;
}

/** A granted verb that no story uses, with the reason why it is granted nevertheless. */
export interface Excuse {
  readonly group: string;
  /** `*` = any. */
  readonly resource: string;
  readonly verb: string;
  readonly why: string;
}

const keyOf = (group: string, resource: string, verb: string): string => `${verb} ${group || 'core'}/${resource}`;

/** Refused requests, each kind once, with its count. */
export function refusedTo(user: string, requests: readonly Request[]): readonly string[] {
  const refused = requests.filter((it) => it.user === user && it.group + it.resource !== '' && isRefused(it));
  const alike = Map.groupBy(refused, ({ group, resource, verb }) => keyOf(group, resource, verb));
  return [...alike].map(([key, times]) => `${key}: refused ${times.length} times`).sort();
}

/** 403 by RBAC or by a policy. */
const isRefused = ({ code, decision }: Request): boolean => code === 403 || decision === 'forbid';

/** Verbs that are granted and were never used successfully, except those that are excused. */
export function unusedBy(
  user: string,
  granted: readonly Permission[],
  { requests, excuses }: { readonly requests: readonly Request[]; readonly excuses: readonly Excuse[] },
): readonly string[] {
  const used = new Set(
    requests
      .filter((it) => it.user === user && !isRefused(it))
      .map(({ group, resource, verb }) => keyOf(group, resource, verb)),
  );
  const isExcused = (row: Permission, verb: string): boolean =>
    excuses.some(
      (it) => it.group === row.apiGroup && it.verb === verb && (it.resource === '*' || it.resource === row.resource),
    );
  const unused = granted.flatMap((row) =>
    row.verbs
      .filter((verb) => !used.has(keyOf(row.apiGroup, row.resource, verb)) && !isExcused(row, verb))
      .map((verb) => keyOf(row.apiGroup, row.resource, verb)),
  );
  return [...new Set(unused)].sort();
}

/** Obsolete excuses: the verb is used, or not granted. */
export function needless(
  user: string,
  granted: readonly Permission[],
  { requests, excuses }: { readonly requests: readonly Request[]; readonly excuses: readonly Excuse[] },
): readonly string[] {
  const unused = unusedBy(user, granted, { requests, excuses: [] });
  return excuses
    .filter(({ group, resource, verb }) => {
      const key = keyOf(group, resource, verb);
      return !unused.some((it) => it === key || (resource === '*' && it.startsWith(keyOf(group, '', verb))));
    })
    .map(({ group, resource, verb }) => keyOf(group, resource, verb));
}
