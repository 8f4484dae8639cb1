// The Roll page: progress, turn and forecast of each rolling pool.
import { useSignal } from '@preact/signals';
import { byNode } from '../../src/forecast/aggregateRuns.ts';
import type { Forecast, PoolForecast } from '../../src/forecast/poolForecasts.ts';
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

/** Above this number of nodes a forecast runs only on request. */
const large = 2000;

export function RollPage() {
  const picture = shown.value;
  const pools = picture ? progressOf(picture) : [];
  const rolling = pools
    .filter(({ isRolling }) => isRolling)
    .sort((a, b) => Number(b.pool.sequential ?? false) - Number(a.pool.sequential ?? false));
  const isRequested = useSignal(false);
  const isLarge = (picture?.nodes.length ?? 0) > large && !isRequested.value;
  const forecast = useForecast(rolling.length > 0 && past.value === undefined && !isLarge);
  if (!picture) return <Waiting />;
  const quiet = pools.filter(({ isRolling }) => !isRolling);
  return (
    <div class="page">
      <div class="page-head">
        <h1>Roll</h1>
        <p class="dim">
          When a pool's template changes, its nodes have drifted and are replaced. With a sequential budget, zones are
          rolled one after another: each waits until the previous one is done and healthy.
        </p>
      </div>
      {rolling.length === 0 && (
        <Empty title="Nothing is rolling">No node has drifted. Pools with drifted nodes appear here.</Empty>
      )}
      {rolling.map((progress) => (
        <PoolRoll key={progress.pool.name} progress={progress} state={forecast} />
      ))}
      <Consolidations commands={picture.commands} />
      {rolling.length > 0 && isLarge && (
        <section class="card sure" aria-label="Forecast">
          <p>A forecast simulates the whole cluster in this browser. For a cluster of this size it takes minutes.</p>
          <p>
            <button
              type="button"
              onClick={() => {
                isRequested.value = true;
              }}
            >
              Run the forecast
            </button>
          </p>
        </section>
      )}
      {rolling.length > 0 && !isLarge && <Accuracy state={forecast} />}
      {quiet.length > 0 && rolling.length > 0 && (
        <p class="dim">Up to date: {list(quiet.map(({ pool, total }) => `${pool.name} (${count(total, 'node')})`))}.</p>
      )}
    </div>
  );
}

function PoolRoll({ progress, state }: { progress: PoolProgress; state: ForecastState }) {
  const { pool, turn, domains, total, done } = progress;
  const noun = nounOf(pool.topologyKey);
  const poolForecast = state.forecast?.pools.find((it) => it.pool === pool.name);
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
            Replacements keep failing; next attempt <Until at={pool.backsOffUntil} />
          </p>
        )}
        {pool.slow && <p class="fault">{pool.slow}</p>}
        <p class="push">
          <Finish finishes={poolForecast?.finishes} isWorking={state.isWorking} isKnown={poolForecast !== undefined} />
        </p>
      </header>
      <ol class="domains">
        {domains.map((it) => (
          <DomainRow
            key={it.domain ?? ''}
            noun={noun}
            progress={it}
            poolForecast={poolForecast}
            isWorking={state.isWorking}
          />
        ))}
      </ol>
      {turn && pool.sequential && (
        <dl class="facts">
          <dt>Turn</dt>
          <dd>
            {turn.domain === undefined ? `the nodes without a ${noun}` : `${noun} ${turn.domain}`}, since{' '}
            <Until at={turn.takenAt} />
            {turn.passAsked && ', pass requested'}
          </dd>
          {turn.settledAt !== undefined && (
            <>
              <dt>Settled</dt>
              <dd>
                <Until at={turn.settledAt} />, if it stays healthy until then
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
              'does not expire while the pool is closed'
            ) : (
              <>
                expires <Until at={turn.patienceEndsAt} /> without progress; then the next {noun} gets the turn
              </>
            )}
          </dd>
        </dl>
      )}
      {poolForecast && poolForecast.taken.length > 0 && <TakenView taken={poolForecast.taken} />}
      {state.forecast && poolForecast && poolForecast.never.length > 0 && (
        <StillHeld poolForecast={poolForecast} horizon={state.forecast.horizon} />
      )}
      {poolForecast?.fit && <FitView fit={poolForecast.fit} isEnding={poolForecast.finishes !== undefined} />}
      {poolForecast?.expiring && poolForecast.expiring.forced.length > 0 && (
        <ForcedExpiries forced={poolForecast.expiring.forced} />
      )}
      {state.forecast && <ProgressChart forecast={state.forecast} pool={pool.name} total={total} />}
    </section>
  );
}

const stateNames = { turn: 'has the turn', settling: 'settling', waiting: 'waiting', done: 'done' } as const;

interface DomainRowProps {
  readonly noun: string;
  readonly progress: DomainProgress;
  readonly poolForecast: PoolForecast | undefined;
  readonly isWorking: boolean;
}

function DomainRow({ noun, progress, poolForecast, isWorking }: DomainRowProps) {
  const { domain, total, done, moving, waiting, held, leftBehind, state } = progress;
  const forecast = poolForecast?.domains.find((it) => it.domain === domain);
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
          state && <span class={`chip ${state}`}>{stateNames[state]}</span>
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
            isKnown={poolForecast !== undefined}
          />
        )}
      </span>
    </li>
  );
}

const someNodes = 8;

function StillHeld({ poolForecast, horizon }: { poolForecast: PoolForecast; horizon: Instant }) {
  const held = byNode(poolForecast.never);
  return (
    <div class="wish">
      <h3>
        Still held <Until at={horizon} />, the end of the simulation
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

function Accuracy({ state: { forecast, isWorking, error } }: { state: ForecastState }) {
  if (past.value) return <p class="dim">Forecasts start now, not at a time in the past.</p>;
  return (
    <section class="card sure" aria-label="Forecast accuracy">
      <h2>Forecast accuracy</h2>
      {error ? <p class="fault">{error}</p> : <Sentences forecast={forecast} isWorking={isWorking} />}
    </section>
  );
}

function Sentences({ forecast, isWorking }: { forecast: Forecast | undefined; isWorking: boolean }) {
  if (!forecast) return <p class="dim">{isWorking ? 'Simulating the cluster …' : 'No forecast yet.'}</p>;
  return (
    <>
      <p>
        Simulated in this browser from a copy of the cluster, taken <Until at={forecast.at} />.
      </p>
      <ul>
        {forecast.sure.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}
