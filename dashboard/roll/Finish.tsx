// The forecast end of a roll: the median run and the latest one.
import type { InstantRange } from '../../src/forecast/poolForecasts.ts';
import { Until } from '../parts/Until.tsx';
import { span } from '../parts/words.ts';

/** Smaller differences are not shown. */
const leastDifference = 30_000;

export interface FinishProps {
  /** Present if it has not started yet. */
  readonly starts?: InstantRange | undefined;
  readonly finishes: InstantRange | undefined;
  readonly isWorking: boolean;
  /** Whether there is a forecast at all. */
  readonly isKnown: boolean;
}

export function Finish({ starts, finishes, isWorking, isKnown }: FinishProps) {
  if (!finishes) {
    if (isKnown) return <span class="chip held">no end in sight</span>;
    return <span class="dim">{isWorking ? 'forecasting …' : ''}</span>;
  }
  return (
    <span class="finish">
      {starts && (
        <span class="dim">
          starts <Until at={starts.likely} />,{' '}
        </span>
      )}
      <span class="dim">done about </span>
      <Until at={finishes.likely} />
      {finishes.late - finishes.likely > leastDifference && (
        <span class="dim">, at worst {span(finishes.late - finishes.likely)} later</span>
      )}
    </span>
  );
}
