// When is it expected to be done? The middle of the runs, and how far the others are from it.
import type { Range } from '../../src/forecast/forecast.ts';
import { Until } from '../parts/Until.tsx';
import { span } from '../parts/words.ts';

const worthTelling = 30_000;

export interface FinishProps {
  /** Told where it is still to come. */
  readonly starts?: Range | undefined;
  readonly finishes: Range | undefined;
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
          begins <Until at={starts.likely} />,{' '}
        </span>
      )}
      <span class="dim">done about </span>
      <Until at={finishes.likely} />
      {finishes.late - finishes.likely > worthTelling && (
        <span class="dim">, at worst {span(finishes.late - finishes.likely)} later</span>
      )}
    </span>
  );
}
