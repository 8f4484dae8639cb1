// How does a person pass the turn on (C12)? By a mark in the ledger, which the next round heeds.
import type { Ledger, Turn } from '../cluster/ledger.ts';
import type { Cluster } from '../cluster/store.ts';
import { nearest } from '../kinds/nearMiss.ts';
import type { Answer, Port } from '../runtime/port.ts';
import type { Instant } from '../time/instant.ts';

export type Passed =
  | { readonly turns: readonly Turn[] }
  /** There is no turn to pass. */
  | { readonly missing: string }
  | { readonly answer: Exclude<Answer, { status: 'done' }> };

/** Controllers write the ledger too: whoever loses the race looks again. */
const tries = 5;

export async function passTurn(port: Port, pool: string, now: Instant): Promise<Passed> {
  let answer: Answer | undefined;
  for (let tried = 0; tried < tries; tried++) {
    const { cluster, ledger, unsynced } = port.view();
    if (unsynced.length > 0) return { answer: { status: 'away', message: unsynced.join('; ') } };
    const turns = ledger?.record.turns.filter((turn) => turn.pool === pool) ?? [];
    if (!ledger || turns.length === 0) return { missing: sayMissing(pool, cluster) };
    answer = await port.send({ verb: 'commit', ledger: marked(ledger.record, pool, now), version: ledger.version });
    if (answer.status === 'done') return { turns };
    if (answer.status === 'away') return { answer };
  }
  return { answer: answer as Exclude<Answer, { status: 'done' }> };
}

function sayMissing(pool: string, { pools }: Cluster): string {
  const names = [...pools.keys()].sort();
  if (names.length === 0) return `There is no pool ${pool}: there are no pools at all.`;
  if (!pools.has(pool)) {
    const meant = nearest(pool, names);
    return `There is no pool ${pool}.${meant === undefined ? '' : ` Did you mean ${meant}?`} Pools: ${names.slice(0, mostNames).join(', ')}${names.length > mostNames ? ', …' : ''}.`;
  }
  return `Pool ${pool} has no turn to pass: nothing of it is rolled domain by domain.`;
}

/** More than that nobody reads. */
const mostNames = 20;

const marked = (ledger: Ledger, pool: string, passAsked: Instant): Ledger => ({
  ...ledger,
  turns: ledger.turns.map((turn) => (turn.pool === pool ? { ...turn, passAsked } : turn)),
});
