// What is so right now? The picture, the story and the clock of the cluster, as signals that every page reads.
import { computed, signal } from '@preact/signals';
import { applyChange, type Change, emptyPicture } from '../../src/engine/picture/change.ts';
import type { Picture } from '../../src/engine/picture/picture.ts';
import type { About, Happened } from '../../src/server/source.ts';
import { speed, tick } from './clock.ts';
import { follow, type Link, type Message } from './eventStream.ts';

export const link = signal<Link>('connecting');
/** Why it is not live, in the server's words; empty where it said nothing. */
export const trouble = signal('');
export const about = signal<About>({});
export const story = signal<readonly Happened[]>([]);
/** Undefined before the first round. */
export const livePicture = signal<Picture | undefined>(undefined);

/** A moment that is looked at instead of now: out of the history, or of a recording. */
export interface Past {
  readonly picture: Picture;
  /** `recording.gz`; absent = of this cluster. */
  readonly recording?: string;
}
export const past = signal<Past | undefined>(undefined);

/** What the pages show. */
export const picture = computed(() => past.value?.picture ?? livePicture.value);

/** More than anybody scrolls through. */
const mostStory = 300;

function receive({ event, data }: Message): void {
  if (event === 'change') livePicture.value = applyChange(livePicture.value ?? emptyPicture, data as Change);
  else if (event === 'whole') livePicture.value = data as Picture;
  else if (event === 'story') story.value = [...story.value.slice(1 - mostStory), data as Happened];
  else if (event === 'clock') tick((data as { now: number }).now);
  else if (event === 'about') {
    // What comes next is the whole story so far, once more.
    story.value = [];
    about.value = data as About;
    speed.value = about.value.speed ?? 1;
  }
}

let stop: (() => void) | undefined;

/** Again, after a token was given. */
export function connect(): void {
  stop?.();
  stop = follow({
    message: receive,
    link: (state, why = '') => {
      link.value = state;
      trouble.value = why;
    },
  });
}
