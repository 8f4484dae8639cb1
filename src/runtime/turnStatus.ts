// A pool's turn (C11–C13) in its status: a sentence and fields.
import type { TurnProgress } from '../engine/changes/turnProgress.ts';
import { formatInstant } from '../time/instant.ts';

/** A condition must not list a thousand nodes. */
const mostNames = 10;

export function sayTurn(turn: TurnProgress): string {
  const { topologyKey, waiting, done, leftBehind } = turn;
  const names = (domains: readonly (string | undefined)[]): string =>
    domains.map((domain) => sayDomain(topologyKey, domain)).join(', ');
  return [
    sayHolder(turn),
    ...(waiting.length > 0 ? [`Waiting: ${names(waiting)}.`] : []),
    ...(done.length > 0 && turn.holder ? [`Done: ${names(done)}.`] : []),
    ...leftBehind.map(({ domain, nodes }) => `Left behind in ${sayDomain(topologyKey, domain)}: ${listed(nodes)}.`),
  ].join(' ');
}

function sayHolder({ topologyKey, state, holder, left, unwell, settlesAt }: TurnProgress): string {
  if (!holder) return state === 'Rolled' ? 'Every domain is up to date.' : 'No domain has the turn yet.';
  const domain = sayDomain(topologyKey, holder.domain);
  if (unwell.length > 0) return `${domain} is done, but not healthy: ${listed(unwell, '; ')}.`;
  if (settlesAt !== undefined) return `${domain} is done and healthy, and settles until ${formatInstant(settlesAt)}.`;
  if (state === 'Settling') return `${domain} is done and healthy, and begins to settle.`;
  const going = holder.inFlight.length > 0 ? `, in progress: ${listed(holder.inFlight)}` : '';
  return `${domain} has had the turn since ${formatInstant(holder.takenAt)}; drifted: ${left.length}${going}.`;
}

export const sayDomain = (topologyKey: string, domain: string | undefined): string =>
  domain === undefined ? `the nodes without ${topologyKey}` : `${topologyKey.split('/').at(-1)} ${domain}`;

function listed(names: readonly string[], separator = ', '): string {
  const more = names.length > mostNames ? [`${names.length - mostNames} more`] : [];
  return names.length === 0 ? 'none' : [...names.slice(0, mostNames), ...more].join(separator);
}

/** Absent and empty fields are left out; the domain of nodes without the label is null. */
export function turnField({ topologyKey, state, holder, left, unwell, settlesAt, ...rest }: TurnProgress): unknown {
  const orNull = (domain: string | undefined): string | null => domain ?? null;
  return {
    topologyKey,
    state,
    ...(holder && { domain: orNull(holder.domain), since: formatInstant(holder.takenAt) }),
    ...(holder && { inFlight: holder.inFlight.slice(0, mostNames), drifted: left.length }),
    ...(unwell.length > 0 && { unwell: unwell.slice(0, mostNames) }),
    ...(settlesAt !== undefined && { settlesAt: formatInstant(settlesAt) }),
    waiting: rest.waiting.map(orNull),
    done: rest.done.map(orNull),
    leftBehind: rest.leftBehind.map((it) => ({ domain: orNull(it.domain), nodes: it.nodes.slice(0, mostNames) })),
  };
}
