// The Cluster page: pools with their zones and nodes, beside a legend or the details of one node.
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Picture } from '../../src/engine/picture/picture.ts';
import { picture as shown } from '../live/live.ts';
import { Waiting } from '../parts/Waiting.tsx';
import { progressOf } from '../roll/progress.ts';
import { goHere, route } from '../route.ts';
import { Faults } from './Faults.tsx';
import { Filters } from './Filters.tsx';
import { filterNodes } from './filter.ts';
import { groupNodes, type SeenDomains } from './groups.ts';
import { describeNow } from './headline.ts';
import { Legend } from './Legend.tsx';
import { chooseCell, type Room } from './layout.ts';
import { NodePanel } from './NodePanel.tsx';
import { PoolCard } from './PoolCard.tsx';
import { readPalette } from './paint.ts';
import { Story } from './Story.tsx';
import { Slots } from './slots.ts';
import { type PointedNode, Tooltip } from './Tooltip.tsx';
import { useScheme, useSize } from './useSize.ts';

/** Narrower columns have no room for the zone's name. */
const narrowest = 150;
const columnGap = 16;
/** Above this number, pools share rows. */
const manyPools = 8;
const smallCard = 330;
/** The space around the nodes of a card. */
const cardPadding = 34;

export function ClusterPage() {
  const picture = shown.value;
  if (!picture) return <Waiting />;
  return <ClusterView picture={picture} />;
}

function ClusterView({ picture }: { picture: Picture }) {
  const board = useRef<HTMLDivElement>(null);
  const size = useSize(board);
  const scheme = useScheme();
  const palette = useMemo(readPalette, [scheme]);
  const slots = useMemo(() => new Slots(), []);
  const pointed = useSignal<PointedNode | undefined>(undefined);
  const query = useComputed(() => route.value.query).value;

  const seen = useMemo((): SeenDomains => new Map(), []);
  const groups = useMemo(() => groupNodes(picture, seen), [picture.nodes, picture.pools]);
  const progress = useMemo(() => new Map(progressOf(picture).map((it) => [it.pool.name, it])), [picture]);
  const rows = useMemo(() => new Map(picture.nodes.map((row) => [row.name, row])), [picture.nodes]);
  const matching = useMemo(() => filterNodes(picture, query), [picture.nodes, query]);
  const places = useMemo(
    () =>
      new Map(
        groups.flatMap(({ domains }) =>
          domains.map(
            ({ key, nodes }) =>
              [
                key,
                slots.arrange(
                  key,
                  nodes.map(({ name }) => name),
                ),
              ] as const,
          ),
        ),
      ),
    [groups],
  );
  const layout = boardOf(size.width, groups.length);
  const layouts = groups.map(({ domains }) => columnsOf(layout, domains.length));
  const rooms: Room[][] = chunks(groups, layout.across).flatMap((side, row) => {
    const all = side.map(({ domains }, index) => {
      const { across, width } = layouts[row * layout.across + index] ?? { across: 1, width: layout.width };
      const own = domains.map(({ key }) => ({ width, count: slots.room(key) }));
      return chunks(own, across);
    });
    const lines = Math.max(0, ...all.map((own) => own.length));
    return Array.from({ length: lines }, (_, line) => all.flatMap((own) => own[line] ?? []));
  });
  const boardRows = Math.ceil(groups.length / layout.across);
  const cell = chooseCell(rooms, Math.max(260, size.height - boardRows * 86, boardRows * 84));
  const chosen = query.node;

  useEffect(() => {
    const close = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && route.value.query.node) goHere({ node: '' });
    };
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, []);

  return (
    <div class="with-aside">
      <div>
        <h1 class="unseen">Cluster</h1>
        <div class="headline" aria-live="off">
          {describeNow(picture, [...progress.values()]).map((sentence, index) => (
            <p key={index}>{sentence}</p>
          ))}
        </div>
        <Faults faults={picture.faults} />
        <Filters picture={picture} matching={matching} />
        <div ref={board} class={layout.across > 1 ? 'board many' : 'board'}>
          {size.width > 0 &&
            groups.map((group, index) => (
              <PoolCard
                key={group.pool ?? ''}
                group={group}
                progress={progress.get(group.pool ?? '')}
                width={layouts[index]?.width ?? layout.width}
                shared={{
                  rows,
                  cell,
                  matching,
                  chosen,
                  palette,
                  onChoose: (name) => goHere({ node: name }),
                  onPoint: (name, at) => {
                    pointed.value = name === undefined ? undefined : { name, ...at };
                  },
                }}
                places={places}
                roomOf={(key) => slots.room(key)}
              />
            ))}
        </div>
      </div>
      <aside aria-label={chosen === undefined ? 'Legend and events' : `Node ${chosen}`}>
        {chosen === undefined ? (
          <>
            <Legend picture={picture} />
            <Story />
          </>
        ) : (
          <NodePanel name={chosen} row={rows.get(chosen)} />
        )}
      </aside>
      <Tooltip pointed={pointed} rows={rows} />
    </div>
  );
}

interface BoardLayout {
  /** The number of pools side by side. */
  readonly across: number;
  /** The width within a pool's card. */
  readonly width: number;
  /** The least width of a zone. */
  readonly narrowest: number;
}

/** Few pools have a row each; many share rows. */
function boardOf(width: number, pools: number): BoardLayout {
  const across = pools > manyPools ? Math.max(1, Math.floor(width / smallCard)) : 1;
  const card = Math.floor((width - columnGap * (across - 1)) / across);
  return { across, width: Math.max(narrowest, card - cardPadding), narrowest: across > 1 ? 84 : narrowest };
}

/** As many columns of equal width as fit. */
function columnsOf(layout: BoardLayout, count: number): { readonly across: number; readonly width: number } {
  const across = Math.max(1, Math.min(count, Math.floor((layout.width + columnGap) / (layout.narrowest + columnGap))));
  return { across, width: Math.floor((layout.width - columnGap * (across - 1)) / across) };
}

const chunks = <Item,>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, row) => items.slice(row * size, (row + 1) * size));
