// The answer of `lull why` for a pool: allowances, budgets, turns, commands and held nodes.
import type { PoolWhy } from '../../src/engine/why/poolWhy.ts';
import { Until } from '../parts/Until.tsx';
import { count } from '../parts/words.ts';
import { hrefOf } from '../route.ts';
import { CommandView } from './CommandView.tsx';

const someNodes = 12;

export function PoolWhyView({ why }: { why: PoolWhy }) {
  const { counted, fault, backoff, slowClaims = [], budgets, allowances, turns, commands, held } = why;
  return (
    <>
      {fault && <p class="fault">{fault}</p>}
      {backoff && (
        <p>
          Replacements keep failing; next attempt <Until at={backoff.until} />.
        </p>
      )}
      {slowClaims.map(({ claim, message }) => (
        <p key={claim} class="fault">
          Not ready in time: {message}.
        </p>
      ))}
      <div class="scroll">
        <table>
          <caption>Nodes that may be disrupted now, of {count(counted, 'node')}</caption>
          <thead>
            <tr>
              <th scope="col">Reason</th>
              <th scope="col">Limit</th>
              <th scope="col">In use</th>
              <th scope="col">Left</th>
              <th scope="col">Changes</th>
            </tr>
          </thead>
          <tbody>
            {allowances.map(({ reason, limit, consumed, left, nextChange }) => (
              <tr key={reason}>
                <th scope="row">{reason}</th>
                <td>{limit ?? 'none'}</td>
                <td>{consumed}</td>
                <td>{left ?? 'any'}</td>
                <td>{nextChange === undefined ? '' : <Until at={nextChange} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="wish">
        <h3>Budgets</h3>
        <ul class="refusals">
          {budgets.map(({ index, nodes, reasons, topologyKey, sequential, window, active, nextChange, ...rate }) => (
            <li key={index}>
              <span class={`chip ${active ? 'go' : ''}`}>{active ? 'active' : 'inactive'}</span> {nodes}
              {topologyKey && ` of each ${topologyKey}${sequential ? ', one after another' : ''}`}
              {rate.per && ` to begin in any ${rate.per}`}
              {rate.used !== undefined && ` (${rate.used} used, ${rate.left} left)`} for{' '}
              {reasons?.join(', ') ?? 'any reason'}
              {window && `, ${window}`}
              {nextChange !== undefined && (
                <span class="dim">
                  {' '}
                  {active ? 'ends' : 'starts'} <Until at={nextChange} />
                </span>
              )}
            </li>
          ))}
          {budgets.length === 0 && <li>No budgets: the number of nodes disrupted at a time is not limited.</li>}
        </ul>
      </div>
      {turns.map(({ topologyKey, domain, takenAt, progressAt, settling, leftBehind }) => (
        <div key={topologyKey} class="wish">
          <h3>Turn: {domain ?? 'the nodes without the label'}</h3>
          <p class="dim">
            Since <Until at={takenAt} />, last progress <Until at={progressAt} />.
          </p>
          {settling && <p>{settling}</p>}
          {leftBehind.map((left) => (
            <p key={left.domain ?? ''}>
              Left behind in {left.domain ?? 'the rest'}: {left.nodes.join(', ') || 'none'}
            </p>
          ))}
        </div>
      ))}
      {commands.map((command) => (
        <CommandView key={command.id} command={command} />
      ))}
      {held.length > 0 && (
        <div class="wish">
          <h3>Held</h3>
          <ul class="refusals">
            {held.map(({ code, message, help, nodes }) => (
              <li key={code}>
                <p>
                  <span class="code">{code}</span> {count(nodes.length, 'node')}: {message}
                </p>
                <p class="dim">{help}</p>
                <p>
                  {nodes.slice(0, someNodes).map((name) => (
                    <a key={name} class="name spaced" href={hrefOf('/why', { target: `node/${name}` })}>
                      {name}
                    </a>
                  ))}
                  {nodes.length > someNodes && (
                    <a href={hrefOf('/', { pool: why.name, code })}>and {nodes.length - someNodes} more</a>
                  )}
                </p>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
