// The latest events, newest first.
import type { ReportedEvent } from '../../src/server/roundSource.ts';
import { past, story } from '../live/live.ts';
import { clock } from '../parts/words.ts';

const shown = 40;

export function Story() {
  if (past.value) return null;
  const events = story.value.slice(-shown).reverse();
  const newest = instantOf(events[0]);
  return (
    <section class="card story" aria-label="Events">
      <h2>Events</h2>
      {events.length === 0 ? (
        <p class="dim">No events yet.</p>
      ) : (
        <ol tabIndex={0}>
          {events.map((event, index) => (
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

const instantOf = (event: ReportedEvent | undefined): number =>
  typeof event?.at === 'string' ? Date.parse(event.at) : Number.NaN;

function timeOf(event: ReportedEvent, newest: number): string {
  const at = instantOf(event);
  return Number.isNaN(at) ? '' : clock(at, newest, { seconds: true });
}
