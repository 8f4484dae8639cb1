// Why does it go, or stay? The answer of `lull why` to whoever asks by name; the address can be sent to a colleague.
import { useSignal } from '@preact/signals';
import { past, picture } from '../live/live.ts';
import { Empty } from '../parts/Empty.tsx';
import { go, hrefOf, route } from '../route.ts';
import { useWhy } from './useWhy.ts';
import { WhyView } from './WhyView.tsx';

export function WhyPage() {
  const target = route.value.query.target ?? '';
  const text = useSignal(target);
  return (
    <div class="narrow">
      <h1>Why?</h1>
      <form
        class="ask"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          go(hrefOf('/why', { target: text.value.trim() }));
        }}
      >
        <input
          type="search"
          list="why-targets"
          aria-label="A node, a pod or a pool"
          placeholder="web-3, pod/shop/web-1, pool/web"
          value={target}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
        <button type="submit">Ask</button>
      </form>
      <Targets />
      {target === '' ? <Suggestions /> : <Answer key={target} target={target} />}
    </div>
  );
}

/** A browser slows down over longer lists, and nobody reads them. */
const mostTargets = 500;

function Targets() {
  const { nodes = [], pools = [] } = picture.value ?? {};
  return (
    <datalist id="why-targets">
      {pools.map(({ name }) => (
        <option key={name} value={`pool/${name}`} />
      ))}
      {nodes.slice(0, mostTargets).map(({ name }) => (
        <option key={name} value={`node/${name}`} />
      ))}
    </datalist>
  );
}

function Answer({ target }: { target: string }) {
  const { why, error } = useWhy(target);
  if (error) return <p class="card fault">{error}</p>;
  if (!why) return <p class="card dim">Asking …</p>;
  return (
    <section class="card" aria-label={`Why ${target}`}>
      {past.value && <p class="dim">This is about now, not about the past moment that the other pages show.</p>}
      <WhyView why={why} />
      <p class="dim">
        The same on the command line: <code>lull why {target}</code>
      </p>
    </section>
  );
}

function Suggestions() {
  const { nodes = [], pools = [] } = picture.value ?? {};
  const held = nodes.filter(({ state }) => state === 'held').slice(0, 5);
  if (pools.length === 0)
    return <Empty title="Nobody to ask about yet">Once there are pools and nodes, ask for one by its name.</Empty>;
  return (
    <section class="card">
      <p>
        Every node, pod and pool can be asked about: which reasons it has to go, which rules hold it, whose they are,
        and until when.
      </p>
      <ul class="plain">
        {held.map(({ name }) => (
          <li key={name}>
            <a class="name" href={hrefOf('/why', { target: `node/${name}` })}>
              {name}
            </a>{' '}
            <span class="dim">is held. Why?</span>
          </li>
        ))}
        {pools.slice(0, 8).map(({ name }) => (
          <li key={name}>
            <a href={hrefOf('/why', { target: `pool/${name}` })}>{name}</a>{' '}
            <span class="dim">How does this pool fare?</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
