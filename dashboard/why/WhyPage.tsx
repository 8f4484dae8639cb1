// The Why page: the answer of `lull why` for a node, pod or pool.
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

/** Browsers slow down with longer lists. */
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
  if (!why) return <p class="card dim">Loading …</p>;
  return (
    <section class="card" aria-label={`Why ${target}`}>
      {past.value && <p class="dim">This answer is for now, not for the past time that the other pages show.</p>}
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
    return <Empty title="No pools yet">Once there are pools and nodes, enter the name of one.</Empty>;
  return (
    <section class="card">
      <p>
        Enter the name of a node, pod or pool to see why it is disrupted or held: its reasons, the rules that apply, who
        owns them, and until when they hold it.
      </p>
      <ul class="plain">
        {held.map(({ name }) => (
          <li key={name}>
            <a class="name" href={hrefOf('/why', { target: `node/${name}` })}>
              {name}
            </a>{' '}
            <span class="dim">is held</span>
          </li>
        ))}
        {pools.slice(0, 8).map(({ name }) => (
          <li key={name}>
            <a href={hrefOf('/why', { target: `pool/${name}` })}>{name}</a> <span class="dim">pool</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
