// The previous rounds with changes, newest first; each can be selected.
import { useMemo } from 'preact/hooks';
import { clock } from '../parts/words.ts';
import { type ChangeText, describeChanges } from './difference.ts';
import type { Moments } from './moments.ts';

export interface LogProps {
  readonly moments: Moments;
  readonly index: number;
  readonly onChoose: (index: number) => void;
}

const shown = 12;
const sentences = 3;

export function Log({ moments, index, onChoose }: LogProps) {
  const entries = useMemo(
    () =>
      moments.withChanges(index, shown).map((at) => ({
        at,
        changes: describeChanges(moments.picture(at - 1), moments.picture(at)),
      })),
    [moments, index],
  );
  if (entries.length === 0) return null;
  return (
    <section class="card" aria-label="Previous rounds">
      <h2>Previous rounds</h2>
      <div class="scroll">
        <table>
          <tbody>
            {entries.map(({ at, changes }) => (
              <tr key={at}>
                <th scope="row">
                  <button type="button" class="quiet line" onClick={() => onChoose(at)}>
                    {clock(moments.atOf(at), moments.atOf(index), { seconds: true })}
                  </button>
                </th>
                <td>
                  {changes.slice(0, sentences).map(formatChange).join('; ')}
                  {changes.length > sentences && <span class="dim"> and {changes.length - sentences} more</span>}
                  {changes.length === 0 && <span class="dim">a command advanced by a step</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const formatChange = ({ node, text }: ChangeText): string => (node === undefined ? text : `${node} ${text}`);
