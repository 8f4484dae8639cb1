// How far is the roll, whose turn is it, and when is it done?
import { useSignal } from '@preact/signals';
import type { Forecast, PoolForecast } from '../../src/forecast/forecast.ts';
import { byNode } from '../../src/forecast/held.ts';
import type { Instant } from '../../src/time/instant.ts';
import { past, picture as shown } from '../live/live.ts';
import { Bar } from '../parts/Bar.tsx';
import { Empty } from '../parts/Empty.tsx';
import { Until } from '../parts/Until.tsx';
import { Waiting } from '../parts/Waiting.tsx';
import { count, list } from '../parts/words.ts';
import { hrefOf } from '../route.ts';
import { Consolidations } from './Consolidations.tsx';
import { Finish } from './Finish.tsx';
import { FitView, ForcedExpiries } from './FitView.tsx';
import { ProgressChart } from './ProgressChart.tsx';
import { type DomainProgress, nounOf, type PoolProgress, progressOf } from './progress.ts';
import { TakenView } from './TakenView.tsx';
import { type ForecastState, useForecast } from './useForecast.ts';

/** Beyond so many nodes a forecast is made only for who wants to wait for it. */
const large = 2000;

export function RollPage() {
  const picture = shown.value;
  const pools = picture ? progressOf(picture) : [];
  const rolling = pools
    .filter(({ isRolling }) => isRolling)
    .sort((a, b) => Number(b.pool.sequential ?? false) - Number(a.pool.sequential ?? false));
  const isAsked = useSignal(false);
  const isLarge = (picture?.nodes.length ?? 0) > large && !isAsked.value;
  const forecast = useForecast(rolling.length > 0 && past.value === undefined && !isLarge);
  if (!picture) return <Waiting />;
  const quiet = pools.filter(({ isRolling }) => !isRolling);
  return (
    <div class="page">
      <div class="page-head">
        <h1>Roll</h1>
        <p class="dim">
          When what a pool asks for changes, its nodes have drifted and are renewed. Where its budget says so, one zone
          goes after another: the next has to wait until the one before is done and well.
        </p>
      </div>
      {rolling.length === 0 && (
        <Empty title="Nothing is rolling">
          Every node is what its pool asks for. Once one is not, its pool appears here.
        </Empty>
      )}
      {rolling.map((progress) => (
        <PoolRoll key={progress.pool.name} progress={progress} state={forecast} />
      ))}
      <Consolidations commands={picture.commands} />
      {rolling.length > 0 && isLarge && (
        <section class="card sure" aria-label="Forecast">
          <p>A forecast plays the whole cluster forward in this browser. For one as large as this it takes minutes.</p>
          <p>
            <button
              type="button"
              onClick={() => {
                isAsked.value = true;
              }}
            >
              Forecast it anyway
            </button>
          </p>
        </section>
      )}
      {rolling.length > 0 && !isLarge && <Sureness state={forecast} />}
      {quiet.length > 0 && rolling.length > 0 && (
        <p class="dim">Up to date: {list(quiet.map(({ pool, total }) => `${pool.name} (${count(total, 'node')})`))}.</p>
      )}
    </div>
  );
}

function PoolRoll({ progress, state }: { progress: PoolProgress; state: ForecastState }) {
  const { pool, turn, domains, total, done } = progress;
  const noun = nounOf(pool.topologyKey);
  const told = state.forecast?.pools.find((it) => it.pool === pool.name);
  return (
    <section class="card roll" aria-label={`Roll of ${pool.name}`}>
      <header>
        <h2>
          <a href={hrefOf('/', { pool: pool.name })}>{pool.name}</a>
        </h2>
        <p class="figures">
          <strong>{done}</strong> of {total} up to date
        </p>
        {pool.backsOffUntil !== undefined && (
          <p class="fault">
            Replacements kept failing; tried again <Until at={pool.backsOffUntil} />
          </p>
        )}
        {pool.slow && <p class="fault">{pool.slow}</p>}
        <p class="push">
          <Finish finishes={told?.finishes} isWorking={state.isWorking} isKnown={told !== undefined} />
        </p>
      </header>
      <ol class="domains">
        {domains.map((it) => (
          <DomainRow key={it.domain ?? ''} noun={noun} progress={it} told={told} isWorking={state.isWorking} />
        ))}
      </ol>
      {turn && pool.sequential && (
        <dl class="facts">
          <dt>Turn</dt>
          <dd>
            {turn.domain === undefined ? `the nodes without a ${noun}` : `${noun} ${turn.domain}`}, taken{' '}
            <Until at={turn.takenAt} />
            {turn.passAsked && ', asked to be passed on'}
          </dd>
          {turn.settledAt !== undefined && (
            <>
              <dt>Settled</dt>
              <dd>
                <Until at={turn.settledAt} />, if it stays well until then
              </dd>
            </>
          )}
          {turn.settling && (
            <>
              <dt>Settling</dt>
              <dd>{turn.settling}</dd>
            </>
          )}
          <dt>Patience</dt>
          <dd>
            {turn.patienceEndsAt === undefined ? (
              'does not run out as long as the pool is closed'
            ) : (
              <>
                ends <Until at={turn.patienceEndsAt} />, should nothing happen; then the next {noun} goes on
              </>
            )}
          </dd>
        </dl>
      )}
      {told && told.taken.length > 0 && <TakenView taken={told.taken} />}
      {state.forecast && told && told.never.length > 0 && <StillHeld told={told} horizon={state.forecast.horizon} />}
      {told?.fit && <FitView fit={told.fit} isEnding={told.finishes !== undefined} />}
      {told?.expiring && told.expiring.forced.length > 0 && <ForcedExpiries forced={told.expiring.forced} />}
      {state.forecast && <ProgressChart forecast={state.forecast} pool={pool.name} total={total} />}
    </section>
  );
}

const says = { turn: 'has the turn', settling: 'settles', waiting: 'waits', done: 'done' } as const;

interface DomainRowProps {
  readonly noun: string;
  readonly progress: DomainProgress;
  readonly told: PoolForecast | undefined;
  readonly isWorking: boolean;
}

function DomainRow({ noun, progress, told, isWorking }: DomainRowProps) {
  const { domain, total, done, moving, waiting, held, leftBehind, state } = progress;
  const forecast = told?.domains.find((it) => it.domain === domain);
  const parts = [
    `${done} of ${total} done`,
    ...(moving > 0 ? [`${moving} in flight`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(held > 0 ? [`${held} held`] : []),
  ];
  return (
    <li class={state ?? ''}>
      <h3>
        <span class="dim">{noun}</span> {domain ?? 'none'}
      </h3>
      <span>
        {leftBehind ? (
          <span class="chip held">left behind</span>
        ) : (
          state && <span class={`chip ${state}`}>{says[state]}</span>
        )}
      </span>
      <div>
        <Bar
          label={`${noun} ${domain ?? 'none'}`}
          parts={[
            { kind: 'done', value: done, name: 'done' },
            { kind: 'moving', value: moving, name: 'in flight' },
            { kind: 'held', value: held, name: 'held' },
            { kind: 'waiting', value: waiting, name: 'waiting' },
          ]}
        />
        <span class="dim">{parts.join(' · ')}</span>
      </div>
      <span>
        {done < total && (
          <Finish
            starts={done === 0 && moving === 0 ? forecast?.starts : undefined}
            finishes={forecast?.finishes}
            isWorking={isWorking}
            isKnown={told !== undefined}
          />
        )}
      </span>
    </li>
  );
}

const someNodes = 8;

function StillHeld({ told, horizon }: { told: PoolForecast; horizon: Instant }) {
  const held = byNode(told.never);
  return (
    <div class="wish">
      <h3>
        Still held <Until at={horizon} />, where the simulation ends
      </h3>
      <ul class="refusals">
        {held.slice(0, someNodes).map(({ node, why }) => (
          <li key={node}>
            <a class="name" href={hrefOf('/why', { target: `node/${node}` })}>
              {node}
            </a>
            : {why}
          </li>
        ))}
      </ul>
      {held.length > someNodes && <p class="dim">and {held.length - someNodes} more</p>}
    </div>
  );
}

function Sureness({ state: { forecast, isWorking, error } }: { state: ForecastState }) {
  if (past.value) return <p class="dim">A forecast is made from now, not from a past moment.</p>;
  return (
    <section class="card sure" aria-label="How sure the forecast is">
      <h2>How sure is this?</h2>
      {error ? <p class="fault">{error}</p> : <Sentences forecast={forecast} isWorking={isWorking} />}
    </section>
  );
}

function Sentences({ forecast, isWorking }: { forecast: Forecast | undefined; isWorking: boolean }) {
  if (!forecast)
    return <p class="dim">{isWorking ? 'The cluster is being played forward …' : 'There is no forecast yet.'}</p>;
  return (
    <>
      <p>
        The cluster was copied as it stood <Until at={forecast.at} /> and played forward in this browser.
      </p>
      <ul>
        {forecast.sure.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}
