// What happened on the way here? The last rounds in which something shows, the newest first; each can be gone to.
import { useMemo } from 'preact/hooks';
import { clock } from '../parts/words.ts';
import { sayDifference, type Told } from './difference.ts';
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
      moments.telling(index, shown).map((at) => ({
        at,
        told: sayDifference(moments.picture(at - 1), moments.picture(at)),
      })),
    [moments, index],
  );
  if (entries.length === 0) return null;
  return (
    <section class="card" aria-label="Rounds before">
      <h2>On the way here</h2>
      <div class="scroll">
        <table>
          <tbody>
            {entries.map(({ at, told }) => (
              <tr key={at}>
                <th scope="row">
                  <button type="button" class="quiet line" onClick={() => onChoose(at)}>
                    {clock(moments.atOf(at), moments.atOf(index), { seconds: true })}
                  </button>
                </th>
                <td>
                  {told.slice(0, sentences).map(say).join('; ')}
                  {told.length > sentences && <span class="dim"> and {told.length - sentences} more</span>}
                  {told.length === 0 && <span class="dim">a command went on by a step</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const say = ({ node, text }: Told): string => (node === undefined ? text : `${node} ${text}`);
