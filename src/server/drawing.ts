// When is a round drawn? At once while somebody watches; while nobody does, only as often as it costs little beside the rounds themselves.
import { drawPicture } from '../engine/picture/picture.ts';
import type { Feed } from './feed.ts';
import type { Decided, Source } from './source.ts';

/** Cheaper than that (ms), every round is drawn whoever watches. */
const cheap = 15;
/** Of the time while nobody watches, one part in so many is for drawing. */
const share = 20;

export interface Drawing {
  /** A round was decided. The cluster goes on changing, so it is now or not at all. */
  note(decided: Decided): void;
  /** Somebody wants to see: what was left out is drawn, as it stands now. */
  refresh(): void;
}

export interface DrawingOptions {
  readonly source: Source;
  readonly feed: Feed;
  readonly isWatched: () => boolean;
  /** Milliseconds, of any clock that does not jump. */
  readonly clock?: () => number;
}

export function openDrawing({ source, feed, isWatched, clock = () => performance.now() }: DrawingOptions): Drawing {
  let cost = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isStale = false;
  const draw = ({ round, cluster }: Decided): void => {
    const began = clock();
    feed.pushPicture(drawPicture(round, cluster));
    drawnAt = clock();
    cost = drawnAt - began;
    isStale = false;
  };
  return {
    note: (decided) => {
      if (isWatched() || cost < cheap || clock() - drawnAt > cost * share) draw(decided);
      else isStale = true;
    },
    refresh: () => {
      const latest = source.latest();
      if (isStale && latest) draw(latest);
    },
  };
}
