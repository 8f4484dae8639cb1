// User requests to the server: pause and resume all disruption, and pass a turn (C12).
import type { Ledger, Turn } from '../cluster/ledger.ts';
import { annotation } from '../cluster/names.ts';
import type { Cluster } from '../cluster/store.ts';
import type { PatchOperation } from '../engine/commands/action.ts';
import { nearest } from '../kinds/read/nearMiss.ts';
import { type ApiRequest, type ApiResponse, describeUnsynced, type Port } from '../runtime/port.ts';
import { formatInstant, type Instant } from '../time/instant.ts';

export const pauseName = 'lull-pause';
const name = pauseName;
const kind = 'MaintenanceWindow';

export interface Pause {
  /** Absent for a pause until `lull resume`. */
  readonly until?: Instant;
  /** Who paused and why; shown with every refusal. */
  readonly note?: string;
  /** The user who paused. */
  readonly author?: string;
}

/** Without schedules, actions and a selector, the window always blocks everything on every node. */
export const pauseWindow = ({ until, note, author }: Pause) => ({
  apiVersion: 'karpenter.sh/v1alpha1',
  kind,
  metadata: { name, ...(author !== undefined && { annotations: { [annotation.author]: author } }) },
  spec: {
    mode: 'Block',
    ...(until !== undefined && { notAfter: formatInstant(until) }),
    note: note ?? 'paused with `lull pause`; `lull resume` ends it',
  },
});

const isPaused = (port: Port): boolean => port.view().cluster.windows.some((window) => window.name === name);

/** If already paused, updates the end and the note. */
export async function pause(port: Port, wanted: Pause): Promise<ApiResponse> {
  const object = pauseWindow(wanted);
  const create: ApiRequest = { verb: 'create', kind, name, object };
  const change = (): Promise<ApiResponse> => changePause(port, wanted);
  const begin = async (): Promise<ApiResponse> => port.send(create);
  const [first, second] = isPaused(port) ? [change, begin] : [begin, change];
  const answer = await first();
  // Another client created or deleted it in the meantime.
  return isRefused(answer, 409, 404) ? second() : answer;
}

/** Replaces the author, but keeps annotations of others (K4). */
async function changePause(port: Port, wanted: Pause): Promise<ApiResponse> {
  const { spec } = pauseWindow(wanted);
  const author = { [annotation.author]: wanted.author ?? '' };
  const write = (more: PatchOperation): ApiRequest => ({
    verb: 'patch',
    kind,
    name,
    patch: [{ op: 'add', path: '/spec', value: spec }, more],
  });
  const path = `/metadata/annotations/${annotation.author.replace('/', '~1')}`;
  const answer = await port.send(write({ op: 'add', path, value: wanted.author ?? '' }));
  // 422: the object has no annotations yet.
  return isRefused(answer, 422)
    ? port.send(write({ op: 'add', path: '/metadata/annotations', value: author }))
    : answer;
}

const isRefused = (answer: ApiResponse, ...codes: readonly number[]): boolean =>
  answer.status === 'refused' && codes.includes(answer.code);

/** The answer is 404 if there was no pause. */
export const resume = async (port: Port): Promise<ApiResponse> => port.send({ verb: 'delete', kind, name });

export type PassResult =
  | { readonly turns: readonly Turn[] /** Whether a wave passes too (P3). */; readonly wave: boolean }
  /** Why there is no turn to pass. */
  | { readonly missing: string }
  | { readonly answer: Exclude<ApiResponse, { status: 'done' }> };

/** Retries on conflict: the controller writes the ledger too. */
const tries = 5;

export async function passTurn(port: Port, pool: string, now: Instant): Promise<PassResult> {
  for (let tried = 1; ; tried++) {
    const { cluster, ledger, unsynced } = port.view();
    if (unsynced.length > 0) return { answer: { status: 'away', message: unsynced.map(describeUnsynced).join('; ') } };
    const turns = ledger?.record.turns.filter((turn) => turn.pool === pool) ?? [];
    const wave = ledger?.record.rolls?.some((roll) => roll.pool === pool) ?? false;
    if (!ledger || (turns.length === 0 && !wave)) return { missing: describeMissing(pool, cluster) };
    const answer = await port.send({
      verb: 'commit',
      ledger: marked(ledger.record, pool, now),
      version: ledger.version,
    });
    if (answer.status === 'done') return { turns, wave };
    if (answer.status === 'away' || tried === tries) return { answer };
  }
}

function describeMissing(pool: string, { pools }: Cluster): string {
  const names = [...pools.keys()].sort();
  if (names.length === 0) return `There is no pool ${pool}: the cluster has no pools.`;
  if (!pools.has(pool)) {
    const meant = nearest(pool, names);
    return `There is no pool ${pool}.${meant === undefined ? '' : ` Did you mean ${meant}?`} Pools: ${names.slice(0, mostNames).join(', ')}${names.length > mostNames ? ', …' : ''}.`;
  }
  return `Pool ${pool} has no turn to pass: it is not being rolled domain by domain or in waves.`;
}

/** How many pool names a message lists. */
const mostNames = 20;

const marked = (ledger: Ledger, pool: string, passAsked: Instant): Ledger => ({
  ...ledger,
  turns: ledger.turns.map((turn) => (turn.pool === pool ? { ...turn, passAsked } : turn)),
  ...(ledger.rolls && { rolls: ledger.rolls.map((roll) => (roll.pool === pool ? { ...roll, passAsked } : roll)) }),
});
