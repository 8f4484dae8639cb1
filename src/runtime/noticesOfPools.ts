// What happened to a pool as a whole? Whose turn it is (C11, C12), a domain that does not get well (C13), replacements that fail (F4).
import type { Turn } from '../cluster/ledger.ts';
import type { Pool } from '../cluster/model.ts';
import { formatInstant } from '../time/instant.ts';
import { type About, type Looking, type Notice, standing } from './notice.ts';
import { sayDomain, sayTurn, turnOf } from './statusesOfTurns.ts';

export function poolNotices(looking: Looking): Notice[] {
  const pools = [...looking.told.facts.cluster.pools.values()];
  return pools.flatMap((pool) => [
    ...backoffNotices(pool, looking),
    ...slowNotices(pool, looking),
    ...turnNotices(pool, looking),
    ...stuckNotices(pool, looking),
  ]);
}

const aboutPool = ({ name, uid }: Pool): About => ({ kind: 'NodePool', name, ...(uid !== undefined && { uid }) });

function backoffNotices(pool: Pool, { told, before, isNew }: Looking): Notice[] {
  const backoff = told.facts.ledger.backoffs.find((it) => it.pool === pool.name && told.now < it.until);
  if (!backoff || !isNew(`backoff ${pool.name}`, String(backoff.until)) || !before) return [];
  const message = `Replacements keep failing. It is tried again at ${formatInstant(backoff.until)}.`;
  return [{ about: aboutPool(pool), type: 'Warning', reason: 'BackingOff', message, key: '', weight: 3 }];
}

/** F7: on the claim and on the pool. Another condition is another event; what is slow no more needs none. */
function slowNotices(pool: Pool, { told, before, isNew }: Looking): Notice[] {
  const slow = told.round.slowClaims?.filter((it) => it.pool === pool.name) ?? [];
  return slow.flatMap(({ claim, message, conditions }): Notice[] => {
    const stage = conditions.find(({ status }) => status !== 'True');
    const key = `${claim} ${stage?.type ?? ''} ${stage?.reason ?? ''}`;
    if (!isNew(`slow ${claim}`, key)) return [];
    const uid = told.facts.cluster.claim(claim)?.uid;
    const places = [aboutPool(pool), { kind: 'NodeClaim', name: claim, ...(uid !== undefined && { uid }) }];
    const then = told.settings.role === 'guide' ? ` Nothing more of pool ${pool.name} is offered meanwhile.` : '';
    const shared = { message: `${message}.${then}`, key };
    return places.map((about) => ({
      about,
      type: 'Warning',
      reason: 'ReplacementSlow',
      weight: 3,
      ...shared,
      ...standing(before),
    }));
  });
}

/** From the ledger as it was committed, as with commands. */
function turnNotices(pool: Pool, { told, before }: Looking): Notice[] {
  if (!before) return [];
  const were = before.ledger.turns.filter((it) => it.pool === pool.name);
  const are = told.facts.ledger.turns.filter((it) => it.pool === pool.name);
  const about = aboutPool(pool);
  const passed = were.filter((turn) => !are.some((it) => isSame(it, turn)));
  const taken = are.filter((turn) => !were.some((it) => isSame(it, turn)));
  return [
    ...passed.map((turn): Notice => ({ about, ...passing(turn, are) })),
    ...taken.map(({ topologyKey, domain, takenAt }): Notice => {
      const key = `${topologyKey} ${domain ?? ''} ${takenAt}`;
      const message = `${sayDomain(topologyKey, domain)} has the turn now.`;
      return { about, type: 'Normal', reason: 'TurnTaken', message, key, weight: 2 };
    }),
  ];
}

const isSame = (a: Turn, b: Turn): boolean =>
  a.topologyKey === b.topologyKey && a.domain === b.domain && a.takenAt === b.takenAt;

/** C12: what was left behind is worth a warning. */
function passing({ topologyKey, domain, takenAt }: Turn, are: readonly Turn[]): Omit<Notice, 'about'> {
  const key = `${topologyKey} ${domain ?? ''} ${takenAt}`;
  const where = sayDomain(topologyKey, domain);
  const isLeft = are.some((it) => it.topologyKey === topologyKey && it.passedOver.includes(domain ?? null));
  const shared = { reason: 'TurnPassed', key } as const;
  return isLeft
    ? { ...shared, type: 'Warning', weight: 3, message: `${where} passes the turn on with drifted nodes left behind.` }
    : { ...shared, type: 'Normal', weight: 2, message: `${where} is done, and passes the turn on.` };
}

function stuckNotices(pool: Pool, { told, before, isNew }: Looking): Notice[] {
  // Few are unwell: only of those all is worked out.
  if (!told.round.domains.some((it) => it.unwell && it.pool === pool.name)) return [];
  const turn = turnOf(pool, told);
  if (turn?.state !== 'SettleStuck' || !turn.holder) return [];
  const key = `${turn.topologyKey} ${turn.holder.domain ?? ''} ${turn.holder.takenAt}`;
  if (!isNew(`stuck ${pool.name}`, key)) return [];
  const message = `The roll stands still. ${sayTurn(turn)}`;
  const shared = { message, key, ...standing(before) };
  return [{ about: aboutPool(pool), type: 'Warning', reason: 'SettleStuck', weight: 3, ...shared }];
}
