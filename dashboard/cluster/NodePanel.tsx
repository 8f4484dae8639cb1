// The details of one node: the answer of `lull why`, kept up to date while it is open.
import { useEffect, useRef } from 'preact/hooks';
import type { NodeRow } from '../../src/engine/picture/nodeRow.ts';
import { refusalCodes } from '../../src/engine/refusal.ts';
import { past } from '../live/live.ts';
import { labelOfState } from '../parts/state.ts';
import { Until } from '../parts/Until.tsx';
import { goHere, hrefOf } from '../route.ts';
import { useWhy } from '../why/useWhy.ts';
import { WhyView } from '../why/WhyView.tsx';

export function NodePanel({ name, row }: { name: string; row: NodeRow | undefined }) {
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => close.current?.focus({ preventScroll: true }), [name]);
  return (
    <section class="card panel">
      <header>
        <h2 class="name">{name}</h2>
        <button ref={close} type="button" class="quiet" aria-label="Close" onClick={() => goHere({ node: '' })}>
          ×
        </button>
      </header>
      {row && (
        <p>
          <i class={`state ${row.state}`} aria-hidden="true">
            {labelOfState(row.state).sign}
          </i>{' '}
          <strong>{labelOfState(row.state).name}</strong> <span class="dim">{labelOfState(row.state).means}</span>
        </p>
      )}
      {!row && <p>This node no longer exists.</p>}
      {row && (past.value ? <Brief row={row} /> : <Full name={name} />)}
    </section>
  );
}

function Full({ name }: { name: string }) {
  const { why, error } = useWhy(`node/${name}`);
  return (
    <>
      {why && <WhyView why={why} />}
      {error && !why && <p class="dim">{error}</p>}
      <p>
        <a href={hrefOf('/why', { target: `node/${name}` })}>Open on its own page</a>
      </p>
    </>
  );
}

/** The history has only the row of a node. */
function Brief({ row: { wishes = [], until, interruption } }: { row: NodeRow }) {
  return (
    <>
      {interruption && <p>Karpenter removes it because of an interruption: {interruption}</p>}
      {wishes.map(({ reason, outcome, codes }) => (
        <div key={reason} class="wish">
          <h3>
            {reason}{' '}
            <span class="dim">{outcome === 'held' ? 'held' : outcome === 'go' ? 'may be disrupted' : 'under way'}</span>
          </h3>
          <ul class="refusals">
            {codes.map((code) => (
              <li key={code}>
                <span class="code">{code}</span> {refusalCodes[code].means}
              </li>
            ))}
          </ul>
        </div>
      ))}
      {until !== undefined && (
        <p>
          Held until <Until at={until} />
        </p>
      )}
    </>
  );
}
