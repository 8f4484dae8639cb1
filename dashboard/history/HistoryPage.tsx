// The History page: steps through past rounds or a recording and shows what changed.
import { useEffect } from 'preact/hooks';
import { emptyPicture } from '../../src/engine/picture/pictureChange.ts';
import { past } from '../live/live.ts';
import { Empty } from '../parts/Empty.tsx';
import { clock, count, utcClock } from '../parts/words.ts';
import { hrefOf } from '../route.ts';
import { describeChanges } from './difference.ts';
import { HistoryChart } from './HistoryChart.tsx';
import { Log } from './Log.tsx';
import { index, isReading, opened, openFile, openLive, step, trouble } from './store.ts';

export function HistoryPage() {
  useEffect(() => {
    if (!opened.peek() || !past.peek()) void openLive();
    const onKey = (event: KeyboardEvent): void => {
      if ((event.target as Element).closest?.('input, textarea, select')) return;
      if (event.key === 'ArrowLeft') step(index.peek() - 1);
      if (event.key === 'ArrowRight') step(index.peek() + 1);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <section
      class="page"
      aria-label="History"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const [file] = event.dataTransfer?.files ?? [];
        if (file) void openFile(file);
      }}
    >
      <div class="page-head">
        <h1>History</h1>
        <p class="dim">
          Every round, with its changes from the one before. All pages show the round that is selected here.
        </p>
        <label class="file push">
          <span>Open a recording</span>
          <input
            type="file"
            accept=".gz,.ndjson,.jsonl"
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? [];
              if (file) void openFile(file);
            }}
          />
        </label>
      </div>
      {trouble.value && (
        <p class="fault card" role="alert">
          {trouble.value}
        </p>
      )}
      <View />
    </section>
  );
}

function View() {
  const history = opened.value;
  if (!history || history.moments.length === 0)
    return isReading.value ? (
      <div class="loading" />
    ) : (
      <Empty title="No rounds yet">Rounds appear here once Lull has decided them.</Empty>
    );
  const { moments, recording } = history;
  const at = moments.atOf(index.value);
  const last = moments.length - 1;
  const picture = moments.picture(index.value);
  const before = index.value === 0 ? emptyPicture : moments.picture(index.value - 1);
  const changes = index.value === 0 ? [] : describeChanges(before, picture);
  return (
    <>
      <section class="card history" aria-label="Rounds">
        <div class="stepper">
          <button type="button" class="quiet" disabled={index.value === 0} onClick={() => step(0)}>
            First
          </button>
          <button type="button" disabled={index.value === 0} onClick={() => step(index.value - 1)}>
            Back
          </button>
          <input
            type="range"
            min={0}
            max={last}
            value={index.value}
            aria-label="Round"
            aria-valuetext={`${clock(at, at, { seconds: true })}, round ${index.value + 1} of ${moments.length}`}
            onInput={(event) => step(Number(event.currentTarget.value))}
          />
          <button type="button" disabled={index.value === last} onClick={() => step(index.value + 1)}>
            Forward
          </button>
          <button type="button" class="quiet" disabled={index.value === last} onClick={() => step(last)}>
            Last
          </button>
          {(recording || past.value) && (
            <button type="button" class="quiet" onClick={() => void openLive()}>
              {recording ? 'Close recording' : 'Back to now'}
            </button>
          )}
        </div>
        <HistoryChart moments={moments} chosen={index.value} onChoose={step} />
        <h2>
          {clock(at, at, { seconds: true })}{' '}
          <span class="dim">
            {utcClock(at, at)} · round {index.value + 1} of {moments.length.toLocaleString('en')} ·{' '}
            {count(picture.nodes.length, 'node')}
          </span>
        </h2>
        {index.value === 0 && (
          <p class="dim">The first round in the history. {recording && `From the recording ${recording}.`}</p>
        )}
        {moments.storyOf(index.value).length > 0 && (
          <ul class="plain">
            {moments.storyOf(index.value).map(({ text }, number) => (
              <li key={number}>{text}</li>
            ))}
          </ul>
        )}
        <h3>Changes</h3>
        {changes.length === 0 ? (
          <p class="dim">No visible changes: the same nodes in the same states.</p>
        ) : (
          <ul class="changes">
            {changes.map(({ node, text, kind }, number) => (
              <li key={number} class={kind}>
                {node && (
                  <a class="name" href={hrefOf('/', { node })}>
                    {node}
                  </a>
                )}{' '}
                {text}
              </li>
            ))}
          </ul>
        )}
        <p>
          <a href={hrefOf('/')}>Show the cluster at this time</a>
        </p>
      </section>
      <Log moments={moments} index={index.value} onChoose={step} />
    </>
  );
}
