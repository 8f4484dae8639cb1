// The legend: what each colour means and how many nodes have it; a click filters.
import { type NodeRowState, nodeStates } from '../../src/engine/picture/nodeRow.ts';
import type { Picture } from '../../src/engine/picture/picture.ts';
import { about } from '../live/live.ts';
import { isShown, labelOfState } from '../parts/state.ts';
import { goHere, route } from '../route.ts';

export function Legend({ picture }: { picture: Picture }) {
  const counts = new Map<NodeRowState, number>();
  for (const { state } of picture.nodes) counts.set(state, (counts.get(state) ?? 0) + 1);
  const chosen = route.value.query.state;
  return (
    <section class="card legend" aria-label="Legend">
      <h2>Legend</h2>
      {about.value.story ? (
        <p>{firstOf(about.value.story)}</p>
      ) : (
        <p>
          Each tile is a node. If a pool is rolled zone by zone, one zone has the turn; the others wait until it is done
          and healthy. Click a tile to see what holds it, and until when.
        </p>
      )}
      <ul>
        {nodeStates.filter(isShown).map((state) => (
          <li key={state}>
            <button
              type="button"
              aria-pressed={chosen === state}
              onClick={() => goHere({ state: chosen === state ? '' : state })}
            >
              <i class={`state ${state}`} aria-hidden="true">
                {labelOfState(state).sign}
              </i>
              <span>
                <strong>{labelOfState(state).name}</strong> <span class="dim">{labelOfState(state).means}</span>
              </span>
              <span class="figure">{(counts.get(state) ?? 0).toLocaleString('en')}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How many sentences of the description are shown. */
const sentences = 3;
const firstOf = (story: string): string =>
  story
    .split(/(?<=\.)\s+/)
    .slice(0, sentences)
    .join(' ');
