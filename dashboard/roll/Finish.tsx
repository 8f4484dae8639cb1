// When is it expected to be done? The middle of the runs, and how far the others are from it.
import type { Range } from '../../src/forecast/forecast.ts';
import { Until } from '../parts/Until.tsx';
import { span } from '../parts/words.ts';

const worthTelling = 30_000;

export interface FinishProps {
  readonly finishes: Range | undefined;
  readonly isWorking: boolean;
  /** Whether there is a forecast at all. */
  readonly isKnown: boolean;
}

export function Finish({ finishes, isWorking, isKnown }: FinishProps) {
  if (!finishes) {
    if (isKnown) return <span class="chip held">no end in sight</span>;
    return <span class="dim">{isWorking ? 'forecasting …' : ''}</span>;
  }
  const spread = Math.max(finishes.late - finishes.likely, finishes.likely - finishes.early);
  return (
    <span class="finish">
      <span class="dim">done about </span>
      <Until at={finishes.likely} />
      {spread > worthTelling && <span class="dim"> ± {span(spread)}</span>}
    </span>
  );
}
