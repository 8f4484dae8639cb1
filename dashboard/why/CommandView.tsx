// A command under way: its steps, its deadline and what it waits for.
import type { CommandWhy } from '../../src/engine/why/commandWhy.ts';
import { describeWorth } from '../../src/engine/why/commandWhy.ts';
import { Until } from '../parts/Until.tsx';
import { count } from '../parts/words.ts';
import { Refusals } from './Refusals.tsx';

export function CommandView({ command }: { command: CommandWhy }) {
  const { id, reason, hands, path, stepAt, deadline, podsLeft, replacements, waitingFor, why } = command;
  const figures = describeWorth(command);
  return (
    <div class="wish">
      <h3>
        Under way{' '}
        <span class="dim">
          for {reason}, by {hands === 'lull' ? 'Lull' : 'Karpenter'}
        </span>
      </h3>
      <ol class="steps" aria-label={`Steps of ${id}`}>
        {path.map(({ step, state }) => (
          <li key={step} class={state} {...(state === 'now' && { 'aria-current': 'step' as const })}>
            {step}
          </li>
        ))}
      </ol>
      <p class="dim">
        In this step since <Until at={stepAt} />
        {podsLeft !== undefined && `, ${count(podsLeft, 'pod')} left`}
        {deadline !== undefined && (
          <>
            ; forced <Until at={deadline} />
          </>
        )}
        .
      </p>
      {replacements.length > 0 && (
        <p class="dim">
          Replaced by{' '}
          {replacements
            .map(({ name, instanceType }) => `${name}${instanceType ? ` (${instanceType})` : ''}`)
            .join(', ')}
          .
        </p>
      )}
      {figures !== '' && <p class="worth">It {figures}.</p>}
      {why && <p>{why}</p>}
      {waitingFor.length > 0 && <Refusals refusals={waitingFor} />}
    </div>
  );
}
