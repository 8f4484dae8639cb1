// The tooltip with a node's name and state.
import type { Signal } from '@preact/signals';
import type { NodeRow } from '../../src/engine/picture/nodeRow.ts';
import { now } from '../live/clock.ts';
import { labelOfState } from '../parts/state.ts';
import { span } from '../parts/words.ts';

export interface PointedNode {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

export function Tooltip({
  pointed,
  rows,
}: {
  pointed: Signal<PointedNode | undefined>;
  rows: ReadonlyMap<string, NodeRow>;
}) {
  const at = pointed.value;
  const row = at && rows.get(at.name);
  if (!at || !row) return null;
  const isRight = at.x > innerWidth - 280;
  const style = {
    top: `${at.y + 16}px`,
    ...(isRight ? { right: `${innerWidth - at.x + 8}px` } : { left: `${at.x + 12}px` }),
  };
  const reasons = row.interruption ?? [...new Set((row.wishes ?? []).map(({ reason }) => reason))].join(', ');
  return (
    <div class="tooltip" style={style} aria-hidden="true">
      <strong>{row.name}</strong>
      <span>
        {labelOfState(row.state).name}
        {reasons && ` · ${reasons}`}
        {row.until !== undefined && row.until > now.peek() && ` · ${span(row.until - now.peek())} left`}
      </span>
    </div>
  );
}
