// Which window takes how many? Each opening that nodes of a roll go through.
import type { Taken } from '../../src/forecast/taken.ts';
import { Until } from '../parts/Until.tsx';
import { count } from '../parts/words.ts';

const some = 8;

export function TakenView({ taken }: { taken: readonly Taken[] }) {
  return (
    <dl class="facts">
      {taken.slice(0, some).map((it) => (
        <TakenRow key={`${it.kind} ${it.name} ${it.index} ${it.from}`} taken={it} />
      ))}
    </dl>
  );
}

function TakenRow({ taken: { kind, name, index, from, to, nodes } }: { taken: Taken }) {
  return (
    <>
      <dt>{kind === 'Budget' ? `Budget ${index}` : name}</dt>
      <dd>
        takes {count(nodes, 'node')}
        {from !== undefined && (
          <>
            , opens <Until at={from} />
          </>
        )}
        {to !== undefined && (
          <>
            , closes <Until at={to} />
          </>
        )}
      </dd>
    </>
  );
}
