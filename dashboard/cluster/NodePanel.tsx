// What about this node? Everything that is known of it: the answer of `lull why`, kept up to date while it is open.
import { useEffect, useRef } from 'preact/hooks';
import type { NodeRow } from '../../src/engine/picture/nodeRow.ts';
import { refusalCodes } from '../../src/engine/refusal.ts';
import { past } from '../live/live.ts';
import { sayingOf } from '../parts/state.ts';
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
        <button
          ref={close}
          type="button"
          class="quiet"
          aria-label="Close this node"
          onClick={() => goHere({ node: '' })}
        >
          ×
        </button>
      </header>
      {row && (
        <p>
          <i class={`state ${row.state}`} aria-hidden="true">
            {sayingOf(row.state).sign}
          </i>{' '}
          <strong>{sayingOf(row.state).name}</strong> <span class="dim">{sayingOf(row.state).means}</span>
        </p>
      )}
      {!row && <p>This node is gone. Its place was taken by another.</p>}
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
        <a href={hrefOf('/why', { target: `node/${name}` })}>Open on a page of its own</a>
      </p>
    </>
  );
}

/** Of a past moment only the row is remembered. */
function Brief({ row: { wishes = [], until } }: { row: NodeRow }) {
  return (
    <>
      {wishes.map(({ reason, outcome, codes }) => (
        <div key={reason} class="wish">
          <h3>
            {reason} <span class="dim">{outcome === 'held' ? 'held' : outcome === 'go' ? 'may go' : 'under way'}</span>
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
          Time alone would let it go: <Until at={until} />
        </p>
      )}
    </>
  );
}
