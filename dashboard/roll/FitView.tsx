// Whether the roll fits before its nodes expire, and which nodes Karpenter deletes at the end of their life.

import type { Fit } from '../../src/forecast/aggregateRuns.ts';
import type { ForecastExpiry } from '../../src/forecast/forecastRun.ts';
import { Until } from '../parts/Until.tsx';
import { count } from '../parts/words.ts';
import { hrefOf } from '../route.ts';

const someNodes = 8;

/** `isEnding`: the roll is expected to end. */
export function FitView({ fit: { firstExpiry, overtaken }, isEnding }: { fit: Fit; isEnding: boolean }) {
  if (overtaken.length === 0)
    return (
      <p class="dim">
        {isEnding ? 'It fits: the' : 'The'} first of its old nodes expires <Until at={firstExpiry} />.
      </p>
    );
  const one = overtaken.length === 1;
  return (
    <div class="wish">
      <h3>
        It does not fit: {count(overtaken.length, 'node')} {one ? 'expires' : 'expire'} before the roll reaches{' '}
        {one ? 'it' : 'them'}
      </h3>
      <ul class="refusals">
        {overtaken.slice(0, someNodes).map(({ node, at, goesAt }) => (
          <li key={node}>
            <a class="name" href={hrefOf('/why', { target: `node/${node}` })}>
              {node}
            </a>{' '}
            expires <Until at={at} />
            {goesAt === undefined ? (
              ', and would not be replaced'
            ) : (
              <>
                , and would be replaced <Until at={goesAt} />
              </>
            )}
          </li>
        ))}
      </ul>
      {overtaken.length > someNodes && <p class="dim">and {overtaken.length - someNodes} more</p>}
    </div>
  );
}

/** Karpenter deletes these at their `expireAfter`, regardless of rules. */
export function ForcedExpiries({ forced }: { forced: readonly ForecastExpiry[] }) {
  const one = forced.length === 1;
  return (
    <div class="wish">
      <h3>
        {count(forced.length, 'node')} {one ? 'expires' : 'expire'} before Lull can replace {one ? 'it' : 'them'}
      </h3>
      <ul class="refusals">
        {forced.slice(0, someNodes).map(({ node, at }) => (
          <li key={node}>
            <a class="name" href={hrefOf('/why', { target: `node/${node}` })}>
              {node}
            </a>{' '}
            is deleted by Karpenter <Until at={at} />
          </li>
        ))}
      </ul>
      {forced.length > someNodes && <p class="dim">and {forced.length - someNodes} more</p>}
    </div>
  );
}
