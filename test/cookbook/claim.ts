// Claims of the cookbook, in comments that readers do not see: `decide INSTANT [on FACT …] [with KEY=VALUE …]: CLAUSE; CLAUSE …`.
//
//   go NODE REASON                          the node may be disrupted now for that reason
//   held NODE REASON CODE[+CODE] [until T]  it is held by exactly these refusals; time lifts the last of them at T
//   agree NODE REASON T                    all its pods may be moved together from T on
//   none NODE REASON                        that reason does not arise
//   goes NUMBER REASON                      the number of nodes disrupted for that reason in this round

interface Go {
  readonly kind: 'go' | 'none';
  readonly node: string;
  readonly reason: string;
}

interface Held {
  readonly kind: 'held';
  readonly node: string;
  readonly reason: string;
  readonly codes: readonly string[];
  readonly until?: string;
}

interface Agree {
  readonly kind: 'agree';
  readonly node: string;
  readonly reason: string;
}

interface Goes {
  readonly kind: 'goes';
  readonly count: number;
  readonly reason: string;
}

export type Clause = (Go | Held | Agree | Goes) & { readonly text: string };

export interface Claim {
  readonly at: string;
  /** Facts about the cluster: see cluster.ts. */
  readonly facts: readonly string[];
  /** `key=value`, as for `--set`. */
  readonly settings: readonly string[];
  readonly clauses: readonly Clause[];
}

const form = /^([^\s:]+:\d\d:\d\dZ)(?: on ([\w ,-]+?))?(?: with ([\w.=% ]+?))?:\s([\s\S]+)$/;

export function readClaim(text: string): Claim {
  const [, at = '', facts = '', settings = '', clauses] = form.exec(text.trim()) ?? [];
  if (clauses === undefined) throw new Error(`not a claim: ${text}`);
  return { at, facts: words(facts), settings: words(settings), clauses: clauses.split(';').map(readClause) };
}

const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

function readClause(written: string): Clause {
  const text = words(written).join(' ');
  const [kind, first = '', reason = '', codes = '', until, instant] = words(written);
  if ((kind === 'go' || kind === 'none') && reason) return { kind, node: first, reason, text };
  if (kind === 'agree' && codes) return { kind, node: first, reason, text };
  if (kind === 'goes' && reason) return { kind, count: Number(first), reason, text };
  if (kind !== 'held' || !codes || (until !== undefined && until !== 'until')) throw new Error(`not a clause: ${text}`);
  return { kind, node: first, reason, codes: codes.split('+'), ...(instant && { until: instant }), text };
}
