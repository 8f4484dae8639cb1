// The live state as signals: the picture, the events and the clock of the cluster.
import { computed, signal } from '@preact/signals';
import type { Picture } from '../../src/engine/picture/picture.ts';
import { applyChange, emptyPicture, type PictureChange } from '../../src/engine/picture/pictureChange.ts';
import type { AboutCluster, ReportedEvent } from '../../src/server/roundSource.ts';
import { speed, tick } from './clock.ts';
import { follow, type Link, type Message } from './eventStream.ts';

export const link = signal<Link>('connecting');
/** The server's message if the page is not live; empty without one. */
export const trouble = signal('');
export const about = signal<AboutCluster>({});
export const story = signal<readonly ReportedEvent[]>([]);
/** Undefined before the first round. */
export const livePicture = signal<Picture | undefined>(undefined);

/** A past round that pages show instead of the live one, from the history or a recording. */
export interface Past {
  readonly picture: Picture;
  /** `recording.gz`; absent = this cluster. */
  readonly recording?: string;
}
export const past = signal<Past | undefined>(undefined);

/** The picture that pages show. */
export const picture = computed(() => past.value?.picture ?? livePicture.value);

/** The most events that are kept. */
const mostStory = 300;

function receive({ event, data }: Message): void {
  if (event === 'change') livePicture.value = applyChange(livePicture.value ?? emptyPicture, data as PictureChange);
  else if (event === 'whole') livePicture.value = data as Picture;
  else if (event === 'story') story.value = [...story.value.slice(1 - mostStory), data as ReportedEvent];
  else if (event === 'clock') tick((data as { now: number }).now);
  else if (event === 'about') {
    // The server sends all events so far again.
    story.value = [];
    about.value = data as AboutCluster;
    speed.value = about.value.speed ?? 1;
  }
}

let stop: (() => void) | undefined;

/** Also reconnects, after a token was entered. */
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
