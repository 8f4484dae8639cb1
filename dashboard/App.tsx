// The page frame: name, navigation, cluster clock and connection state.
import { useEffect } from 'preact/hooks';
import { ClusterPage } from './cluster/ClusterPage.tsx';
import { LazyPage } from './LazyPage.tsx';
import { now, speed } from './live/clock.ts';
import { about, link, livePicture, past, trouble } from './live/live.ts';
import { clock, utcClock } from './parts/words.ts';
import { hrefOf, pages, route } from './route.ts';
import { ThemeButton } from './ThemeButton.tsx';
import { TokenForm } from './TokenForm.tsx';
import { WhyPage } from './why/WhyPage.tsx';

export function App() {
  const { path } = route.value;
  const isDenied = link.value === 'denied';
  const context = about.value.cluster?.context;
  const name = pages.find((page) => page.path === path)?.name;
  useEffect(() => {
    document.title = [...(path === '/' ? [] : [name]), ...(context ? [context] : []), 'Lull'].join(' · ');
  }, [path, context]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href="/">
          <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
            <rect width="32" height="32" rx="8" />
            <path d="M5 19c3.7-6 7.3-6 11 0s7.3 6 11 0" />
          </svg>
          Lull
        </a>
        {context && (
          <span class="context" title={`${context}, ${about.value.cluster?.server}`}>
            {context}
          </span>
        )}
        <nav aria-label="Pages">
          {pages.map((page) => (
            <a key={page.path} href={page.path} {...(page.path === path && { 'aria-current': 'page' as const })}>
              {page.name}
            </a>
          ))}
        </nav>
        <Clock />
        <ThemeButton />
      </header>
      <Banner />
      <main id="main" tabIndex={-1}>
        {isDenied ? <TokenForm /> : <Page />}
      </main>
    </>
  );
}

function Page() {
  const { path } = route.value;
  if (path === '/') return <ClusterPage />;
  if (path === '/why') return <WhyPage />;
  return <LazyPage key={path} path={path} />;
}

const links = { connecting: 'connecting', live: 'live', lost: 'reconnecting', denied: 'locked' } as const;

/** A server that answers with an error is waiting, not lost. */
const linkWord = (): string => (link.value === 'lost' && trouble.value !== '' ? 'waiting' : links[link.value]);

const roles: Readonly<Record<string, string>> = {
  observe: 'Observe mode: Lull shows what it would do and changes nothing',
  guide: 'Guide mode: Lull offers Karpenter the nodes that may be disrupted; Karpenter disrupts them',
  drive: 'Drive mode: Lull disrupts nodes itself',
};

function Clock() {
  const pace = Math.round(speed.value);
  return (
    <div class="clock">
      <span class={`link ${link.value}`} role="status">
        {linkWord()}
      </span>
      {now.value > 0 && (
        <time title={utcClock(now.value, now.value)} dateTime={new Date(now.value).toISOString().slice(0, 16)}>
          {clock(now.value, now.value, { seconds: true })}
          {pace > 1 && <span class="dim"> ×{pace}</span>}
        </time>
      )}
      {about.value.role && (
        <span class="chip role" title={about.value.withheld ?? roles[about.value.role]}>
          {about.value.role}
          {about.value.withheld !== undefined && ', offers withheld'}
        </span>
      )}
      {about.value.access === 'read' && (
        <span
          class="chip"
          title="You are using the read-only token. To pause, resume or pass a turn, use the read-write token with the lull command."
        >
          read-only
        </span>
      )}
    </div>
  );
}

function Banner() {
  const moment = past.value;
  // Before the first round the page itself shows the message.
  if (!moment && trouble.value !== '' && livePicture.value)
    return (
      <div class="banner" role="status">
        {trouble.value}
      </div>
    );
  if (!moment) return null;
  const { at } = moment.picture;
  return (
    <div class="banner" role="status">
      <span>
        Viewing {clock(at, at, { seconds: true })} ({utcClock(at, at)})
        {moment.recording ? ` of the recording ${moment.recording}` : ', in the past'}.
      </span>
      <a class="on-accent" href={hrefOf('/history')}>
        Back to history
      </a>
      <button
        type="button"
        onClick={() => {
          past.value = undefined;
        }}
      >
        Back to now
      </button>
    </div>
  );
}
