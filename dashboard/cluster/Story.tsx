// What has just happened? The last sentences, the newest first.
import type { Happened } from '../../src/server/source.ts';
import { past, story } from '../live/live.ts';
import { clock } from '../parts/words.ts';

const shown = 40;

export function Story() {
  if (past.value) return null;
  const told = story.value.slice(-shown).reverse();
  const newest = instantOf(told[0]);
  return (
    <section class="card story" aria-label="What happens">
      <h2>What happens</h2>
      {told.length === 0 ? (
        <p class="dim">Nothing yet. What Lull does will be told here as it happens.</p>
      ) : (
        <ol tabIndex={0}>
          {told.map((event, index) => (
            <li key={story.value.length - index} class={event.kind}>
              <time>{timeOf(event, newest)}</time>
              <span>{event.text}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

const instantOf = (event: Happened | undefined): number =>
  typeof event?.at === 'string' ? Date.parse(event.at) : Number.NaN;

function timeOf(event: Happened, newest: number): string {
  const at = instantOf(event);
  return Number.isNaN(at) ? '' : clock(at, newest, { seconds: true });
}
