// Consolidation commands under way and what they save.
import type { CommandRow } from '../../src/engine/picture/picture.ts';
import { formatPrice as price } from '../../src/engine/placement/price.ts';
import { describeSavings } from '../../src/engine/why/commandWhy.ts';
import { count } from '../parts/words.ts';
import { hrefOf } from '../route.ts';

const isSaving = ({ reason }: CommandRow): boolean => reason === 'Empty' || reason === 'Underutilized';

/** How many commands are listed. */
const someCommands = 20;

export function Consolidations({ commands }: { commands: readonly CommandRow[] }) {
  const saving = commands.filter(isSaving);
  if (saving.length === 0) return null;
  const nodes = saving.reduce((sum, it) => sum + it.nodes.length, 0);
  const saved = saving.reduce((sum, { savings = 0 }) => sum + savings, 0);
  return (
    <section class="card consolidations" aria-label="Consolidation">
      <header>
        <h2>Consolidation</h2>
        <p class="figures">
          <strong>{count(nodes, 'node')}</strong> being removed
          {saved > 0 && `, saves ${price(saved)} per hour`}
        </p>
      </header>
      <ul class="refusals">
        {saving.slice(0, someCommands).map((command) => (
          <Consolidation key={command.id} command={command} />
        ))}
      </ul>
      {saving.length > someCommands && <p class="dim">and {saving.length - someCommands} more</p>}
    </section>
  );
}

function Consolidation({ command }: { command: CommandRow }) {
  const { nodes, replacements, reason, step, hands } = command;
  const figures = describeSavings(command);
  const instead =
    replacements.length > 0
      ? `replaced by ${replacements.join(', ')}`
      : hands === 'karpenter'
        ? 'by Karpenter'
        : 'not replaced';
  return (
    <li>
      <p>
        {nodes.map((name) => (
          <a key={name} class="name spaced" href={hrefOf('/why', { target: `node/${name}` })}>
            {name}
          </a>
        ))}{' '}
        <span class="dim">
          {reason}, {step}, {instead}
        </span>
      </p>
      {figures !== '' && <p>It {figures}.</p>}
    </li>
  );
}
