// What is shown before there is anything to show? That it will come; or, in the server's own words, why it does not.
import { link, trouble } from '../live/live.ts';
import { Empty } from './Empty.tsx';

export function Waiting() {
  if (link.value === 'lost' && trouble.value !== '')
    return (
      <Empty title="Nothing to see here yet">
        {trouble.value} This page goes on by itself once there is something to see; where another Lull leads, its
        address shows it now.
      </Empty>
    );
  return <Empty title="Waiting for the first round">Lull looks at the cluster before it says anything.</Empty>;
}
