// How many nodes of a roll each opening of a window or budget takes.
import type { OpeningUse } from '../../src/forecast/aggregateRuns.ts';
import { Until } from '../parts/Until.tsx';
import { count } from '../parts/words.ts';

const some = 8;

export function TakenView({ taken }: { taken: readonly OpeningUse[] }) {
  return (
    <dl class="facts">
      {taken.slice(0, some).map((it) => (
        <TakenRow key={`${it.kind} ${it.name} ${it.index} ${it.from}`} taken={it} />
      ))}
    </dl>
  );
}

function TakenRow({ taken: { kind, name, index, from, to, nodes } }: { taken: OpeningUse }) {
  return (
    <>
      <dt>{kind === 'Budget' ? `budgets[${index}]` : name}</dt>
      <dd>
        {count(nodes, 'node')}
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
