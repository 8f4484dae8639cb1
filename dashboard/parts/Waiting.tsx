// The placeholder before the first round, or the server's message if it cannot show one.
import { link, trouble } from '../live/live.ts';
import { Empty } from './Empty.tsx';

export function Waiting() {
  if (link.value === 'lost' && trouble.value !== '')
    return (
      <Empty title="Nothing to show yet">
        {trouble.value} This page updates by itself. If another Lull is the leader, open its address instead.
      </Empty>
    );
  return <Empty title="Waiting for the first round">Lull is reading the cluster.</Empty>;
}
