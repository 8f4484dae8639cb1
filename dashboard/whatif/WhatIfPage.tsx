// The What if page: edit the policy and see what Lull would decide. Nothing is applied.
import { useSignal } from '@preact/signals';
import { nodeStates } from '../../src/engine/picture/nodeRow.ts';
import { Empty } from '../parts/Empty.tsx';
import { labelOfState } from '../parts/state.ts';
import { Until } from '../parts/Until.tsx';
import { count, span } from '../parts/words.ts';
import type { Decided, Difference, Loading } from '../worker/protocol.ts';
import { Editor } from './Editor.tsx';
import { useWhatIf, type WhatIfState } from './useWhatIf.ts';

/** The progress of loading, for large clusters. */
function describeLoading(loading: Loading | undefined): string {
  if (!loading) return '';
  if ('megabytes' in loading) return `${loading.megabytes} MB loaded.`;
  return `${loading.read.toLocaleString('en')} of ${count(loading.total, 'object')} read.`;
}

export function WhatIfPage() {
  const { state, yaml, edit, reload } = useWhatIf();
  const { loaded, decided, reading, error } = state.value;
  if (!loaded) {
    return error ? (
      <Empty title="No snapshot available">{error}</Empty>
    ) : (
      <Empty title="Copying the cluster">
        Into this browser, so that your changes do not affect it. {describeLoading(state.value.loading)}
      </Empty>
    );
  }
  const marks = decided && decided.marks.length > 0 ? decided.marks : reading?.marks;
  const isEdited = yaml.value !== loaded.yaml;
  return (
    <div class="page">
      <div class="page-head">
        <h1>What if</h1>
        <p class="dim">
          Change the policy and see what Lull would decide, on a copy of the cluster taken <Until at={loaded.at} />.
          Nothing is applied.
        </p>
        <span class="push buttons">
          <button type="button" class="quiet" disabled={!isEdited} onClick={() => edit(loaded.yaml)}>
            Undo all
          </button>
          <button type="button" class="quiet" onClick={reload}>
            Reload the cluster
          </button>
        </span>
      </div>
      {error && <p class="fault">{error}</p>}
      <div class="whatif">
        <section class="card" aria-label="Policy">
          <Editor text={yaml.value} marks={marks} onEdit={edit} />
        </section>
        <div class="column">
          <Outcome decided={decided} isEdited={isEdited} isStale={state.value.decidedOf !== yaml.value} />
          {isEdited && <Finishes state={state.value} />}
          <Export patch={state.value.patch} />
          <section class="card words" aria-label="The policy explained">
            <h2>The policy explained</h2>
            {(reading?.words ?? []).map(({ title, sentences }) => (
              <div key={title} class="wish">
                <h3>{title}</h3>
                {sentences.map((sentence, index) => (
                  <p key={index}>{sentence}</p>
                ))}
              </div>
            ))}
          </section>
        </div>
      </div>
    </div>
  );
}

interface OutcomeProps {
  readonly decided: Decided | undefined;
  readonly isEdited: boolean;
  /** The result is for an earlier text. */
  readonly isStale: boolean;
}

function Outcome({ decided, isEdited, isStale }: OutcomeProps) {
  const counts = decided?.counts;
  return (
    <section class={isStale ? 'card stale' : 'card'} aria-label="Result" aria-live="polite">
      <h2>Result</h2>
      {!isEdited && (
        <p class="dim">Edit the policy on the left: for example, raise a budget, or add a maintenance window.</p>
      )}
      {isEdited && decided && !counts && <p class="fault">The policy is invalid. See the lint findings.</p>}
      {isEdited && counts && (
        <>
          <p class="answer">
            {decided.nodes === 0 ? 'No node changes.' : `${count(decided.nodes ?? 0, 'node')} would change.`}
          </p>
          <ul class="tally">
            {nodeStates
              .filter((state) => (counts.before[state] ?? 0) + (counts.after[state] ?? 0) > 0)
              .map((state) => (
                <li key={state}>
                  <i class={`state ${state}`} aria-hidden="true">
                    {labelOfState(state).sign}
                  </i>{' '}
                  {labelOfState(state).name}{' '}
                  <span class="figure">
                    {counts.before[state] ?? 0} › <strong>{counts.after[state] ?? 0}</strong>
                  </span>
                </li>
              ))}
          </ul>
          <Differences differences={decided.differences ?? []} total={decided.nodes ?? 0} />
          <p class="dim">Decided in {Math.round(decided.milliseconds ?? 0)} ms.</p>
        </>
      )}
    </section>
  );
}

const someNodes = 40;

function Differences({ differences, total }: { differences: readonly Difference[]; total: number }) {
  if (differences.length === 0) return null;
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Node</th>
            <th scope="col">Now</th>
            <th scope="col">Then</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {differences.slice(0, someNodes).map(({ name, before, after }) => (
            <tr key={name}>
              <th scope="row" class="name">
                {name}
              </th>
              <td>{labelOfState(before.state).name}</td>
              <td>
                {labelOfState(after.state).name}
                {after.until !== undefined && (
                  <>
                    {' until '}
                    <Until at={after.until} />
                  </>
                )}
              </td>
              <td class="dim">
                {(after.wishes ?? [])
                  .map(({ reason, codes }) => `${reason}${codes.length > 0 ? `: ${codes.join(', ')}` : ''}`)
                  .join('; ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > someNodes && <p class="dim">and {(total - someNodes).toLocaleString('en')} more</p>}
    </div>
  );
}

/** Smaller differences are random. */
const leastDifference = 60_000;

function Finishes({ state: { before, after } }: { state: WhatIfState }) {
  const pools = [...new Set([...(before?.pools ?? []), ...(after?.pools ?? [])].map(({ pool }) => pool))];
  return (
    <section class="card" aria-label="Forecast end">
      <h2>Forecast end</h2>
      {!after && <p class="dim">Simulating …</p>}
      {after && pools.length === 0 && <p class="dim">Nothing is rolling.</p>}
      {after &&
        pools.map((pool) => {
          const was = before?.pools.find((it) => it.pool === pool)?.finishes?.likely;
          const is = after.pools.find((it) => it.pool === pool)?.finishes?.likely;
          const gap = was !== undefined && is !== undefined ? is - was : 0;
          return (
            <p key={pool}>
              <strong>{pool}</strong> {is === undefined ? 'no end in sight' : <Until at={is} />}
              {was === undefined && is !== undefined && <span class="dim">, instead of no end in sight</span>}
              {Math.abs(gap) > leastDifference && (
                <span class="dim">
                  , {span(Math.abs(gap))} {gap > 0 ? 'later' : 'earlier'} than now
                </span>
              )}
            </p>
          );
        })}
    </section>
  );
}

function Export({ patch }: { patch: string }) {
  const copied = useSignal(false);
  if (patch === '') return null;
  return (
    <section class="card" aria-label="Commands">
      <div class="page-head">
        <h2>Commands to apply this change</h2>
        <span class="push buttons">
          <button
            type="button"
            class="quiet"
            onClick={() => {
              void navigator.clipboard?.writeText(patch).then(() => {
                copied.value = true;
              });
            }}
          >
            {copied.value ? 'Copied' : 'Copy'}
          </button>
          <a
            class="button"
            download="lull-policy-change.sh"
            href={`data:text/x-shellscript;charset=utf-8,${encodeURIComponent(patch)}`}
          >
            Save
          </a>
        </span>
      </div>
      <pre class="patch">{patch}</pre>
    </section>
  );
}
