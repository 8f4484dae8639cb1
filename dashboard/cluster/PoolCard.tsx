// The card of a pool: its zones side by side, each with its turn and progress.
import { Bar } from '../parts/Bar.tsx';
import { count } from '../parts/words.ts';
import { type DomainProgress, nounOf, type PoolProgress } from '../roll/progress.ts';
import { hrefOf } from '../route.ts';
import { Canvas, type CanvasProps } from './Canvas.tsx';
import type { DomainGroup, PoolGroup } from './groups.ts';

export interface PoolCardProps {
  readonly group: PoolGroup;
  /** Absent = nodes without a pool. */
  readonly progress: PoolProgress | undefined;
  /** The width of one zone. */
  readonly width: number;
  readonly places: ReadonlyMap<string, readonly (string | undefined)[]>;
  readonly roomOf: (key: string) => number;
  readonly shared: Omit<CanvasProps, 'label' | 'places' | 'width' | 'room'>;
}

export function PoolCard({ group, progress, width, places, roomOf, shared }: PoolCardProps) {
  const { pool, domains } = group;
  const noun = nounOf(progress?.pool.topologyKey ?? 'zone');
  const drift = progress?.pool.allowances.find(({ reason }) => reason === 'Drifted');
  const left = drift?.left === undefined ? '' : `${drift.left} of ${drift.limit} allowed now`;
  return (
    <section class="card pool" aria-label={pool === undefined ? 'Nodes without a pool' : `Pool ${pool}`}>
      <header>
        <h2>{pool === undefined ? 'No pool' : <a href={hrefOf('/why', { target: `pool/${pool}` })}>{pool}</a>}</h2>
        <span class="dim">{count(group.count, 'node')}</span>
        {progress?.pool.sequential && <span class="chip">one {noun} after another</span>}
        {left !== '' && <span class="dim push">{left}</span>}
      </header>
      {progress?.pool.fault && <p class="fault">Invalid, disrupts nothing until fixed: {progress.pool.fault}</p>}
      {group.count === 0 && <p class="dim">This pool has no nodes.</p>}
      <div class="zones">
        {domains.map((domain) => (
          <Zone
            key={domain.key}
            group={domain}
            noun={noun}
            progress={progress?.domains.find((it) => it.domain === domain.domain)}
            width={width}
            places={places.get(domain.key) ?? []}
            room={roomOf(domain.key)}
            shared={shared}
          />
        ))}
      </div>
    </section>
  );
}

interface ZoneProps extends Pick<PoolCardProps, 'width' | 'shared'> {
  readonly group: DomainGroup;
  readonly noun: string;
  readonly progress: DomainProgress | undefined;
  readonly places: readonly (string | undefined)[];
  readonly room: number;
}

const stateNames: Readonly<Record<NonNullable<DomainProgress['state']>, string>> = {
  turn: 'has the turn',
  settling: 'settling',
  waiting: 'waiting',
  done: 'done',
};

function Zone({ group, noun, progress, width, places, room, shared }: ZoneProps) {
  const name = group.more ? `${group.more} more` : (group.domain ?? `no ${noun}`);
  const state = progress?.state;
  const isRolling = progress !== undefined && progress.done < progress.total;
  return (
    <div class={`zone ${state ?? ''}`} style={{ width: `${width}px` }}>
      <div class="zone-head">
        <h3>
          <span class="dim">{group.more ? '' : noun}</span> {name}
        </h3>
        {state && <span class={`chip ${state}`}>{stateNames[state]}</span>}
      </div>
      <Bar
        label={`${noun} ${name}`}
        parts={
          progress && isRolling
            ? [
                { kind: 'done', value: progress.done, name: 'up to date' },
                { kind: 'moving', value: progress.moving, name: 'in progress' },
                { kind: 'held', value: progress.held, name: 'held' },
                { kind: 'waiting', value: progress.waiting, name: 'waiting' },
              ]
            : [{ kind: 'done', value: group.nodes.length, name: 'up to date' }]
        }
      />
      <Canvas label={`${noun} ${name}`} places={places} room={room} width={width} {...shared} />
    </div>
  );
}
