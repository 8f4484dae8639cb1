// The errors in the policy that hold nodes, by object and field.
import type { FaultRow } from '../../src/engine/picture/picture.ts';

const shown = 4;

export function Faults({ faults }: { faults: readonly FaultRow[] }) {
  const errors = faults.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return null;
  return (
    <section class="card faults" aria-label="Errors in the policy">
      <h2>Errors in the policy</h2>
      <ul class="refusals">
        {errors.slice(0, shown).map(({ object, path, message }) => (
          <li key={`${object} ${path}`}>
            <strong class="name">{object}</strong> <span class="code">{path}</span> {message}
          </li>
        ))}
      </ul>
      {errors.length > shown && <p class="dim">and {errors.length - shown} more; `lull lint` shows them all.</p>}
    </section>
  );
}
