// The search field and filters above the nodes.
import { useMemo } from 'preact/hooks';
import type { Picture } from '../../src/engine/picture/picture.ts';
import { count } from '../parts/words.ts';
import { goHere, route } from '../route.ts';
import { choicesOf, type Field, fields, isFiltered } from './filter.ts';

const names: Readonly<Record<Field, string>> = {
  pool: 'Pool',
  zone: 'Zone',
  state: 'State',
  reason: 'Reason',
  code: 'Held by',
};

export function Filters({ picture, matching }: { picture: Picture; matching: ReadonlySet<string> | undefined }) {
  const { query } = route.value;
  return (
    <form class="filters" role="search" aria-label="Find nodes" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        placeholder="Find a node"
        aria-label="Find a node by its name"
        value={query.find ?? ''}
        onInput={(event) => goHere({ find: event.currentTarget.value })}
      />
      {fields.map((field) => (
        <Select key={field} field={field} picture={picture} chosen={query[field] ?? ''} />
      ))}
      <output class="dim">
        {matching ? `${count(matching.size, 'node')} of ${picture.nodes.length.toLocaleString('en')}` : ''}
      </output>
      {isFiltered(query) && (
        <button
          type="button"
          class="quiet"
          onClick={() => goHere({ find: '', ...Object.fromEntries(fields.map((it) => [it, ''])) })}
        >
          Show all
        </button>
      )}
    </form>
  );
}

function Select({ field, picture, chosen }: { field: Field; picture: Picture; chosen: string }) {
  const choices = useMemo(() => choicesOf(picture, field), [picture.nodes, field]);
  const isKnown = chosen === '' || choices.some(({ value }) => value === chosen);
  return (
    <select
      aria-label={names[field]}
      value={chosen}
      class={chosen === '' ? '' : 'set'}
      onChange={(event) => goHere({ [field]: event.currentTarget.value })}
    >
      <option value="">{names[field]}: any</option>
      {!isKnown && <option value={chosen}>{chosen} (0)</option>}
      {choices.map(({ value, label, count: many }) => (
        <option key={value} value={value}>
          {label} ({many.toLocaleString('en')})
        </option>
      ))}
    </select>
  );
}
