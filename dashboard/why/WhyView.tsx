// An answer of `lull why`: the headline first, then all details.
import type { NodeWhy } from '../../src/engine/why/nodeWhy.ts';
import type { PodWhy } from '../../src/engine/why/podWhy.ts';
import type { Why } from '../../src/engine/why/why.ts';
import { Until } from '../parts/Until.tsx';
import { hrefOf } from '../route.ts';
import { CommandView } from './CommandView.tsx';
import { PoolWhyView } from './PoolWhyView.tsx';
import { Refusals } from './Refusals.tsx';

export function WhyView({ why }: { why: Why }) {
  return (
    <div class="why">
      <h2 class="answer">{why.headline}</h2>
      {why.kind === 'node' && <NodeWhyView why={why} />}
      {why.kind === 'pod' && <PodWhyView why={why} />}
      {why.kind === 'pool' && <PoolWhyView why={why} />}
    </div>
  );
}

const heldBy: Readonly<Record<NonNullable<NodeWhy['wishes'][number]['waitsFor']>, string>> = {
  'the clock': 'Held by its schedules',
  'the cluster': 'Held until the cluster changes',
  someone: 'Held until someone acts',
};

function NodeWhyView({ why }: { why: NodeWhy }) {
  const { at, pool, claim, ready, pods, wishes, command, podsWithASay, windows } = why;
  return (
    <>
      <dl class="facts">
        <dt>Pool</dt>
        <dd>{pool === undefined ? 'none' : <a href={hrefOf('/why', { target: `pool/${pool}` })}>{pool}</a>}</dd>
        {claim && (
          <>
            <dt>Claim</dt>
            <dd class="name">{claim}</dd>
          </>
        )}
        <dt>Ready</dt>
        <dd>{ready ? 'yes' : 'no'}</dd>
        <dt>Pods to place</dt>
        <dd>{pods}</dd>
        {windows.length > 0 && (
          <>
            <dt>Windows</dt>
            <dd>{windows.join(', ')}</dd>
          </>
        )}
      </dl>
      {command && <CommandView command={command} />}
      {wishes.map(({ reason, outcome, detail, waitsFor, until, possibleAt, neverMeet, podsAgreeAt, refusals }) => (
        <div key={reason} class="wish">
          <h3>
            {reason}{' '}
            <span class={`chip ${outcome}`}>
              {outcome === 'go' ? 'may be disrupted' : outcome === 'held' ? 'held' : 'under way'}
            </span>
          </h3>
          {detail && <p class="dim">{detail}</p>}
          {outcome === 'held' && waitsFor && (
            <p>
              {possibleAt === 'never' ? 'Can never be disrupted under its current rules' : heldBy[waitsFor]}
              {until !== undefined && (
                <>
                  {' '}
                  until <Until at={until} />
                </>
              )}
              {until === undefined && typeof possibleAt === 'number' && possibleAt > at && (
                <>
                  , at least until <Until at={possibleAt} />
                </>
              )}
              .
            </p>
          )}
          {neverMeet && (
            <ul class="refusals">
              {neverMeet.map(({ message }) => (
                <li key={message}>{message}</li>
              ))}
            </ul>
          )}
          {podsAgreeAt !== undefined && until === undefined && (
            <p class="dim">
              All its pods may move together from <Until at={podsAgreeAt} /> on.
            </p>
          )}
          {refusals.length > 0 && <Refusals refusals={refusals} />}
        </div>
      ))}
      {podsWithASay.length > 0 && (
        <div class="wish">
          <h3>Pods that restrict when they move</h3>
          <ul class="refusals">
            {podsWithASay.map(({ namespace, name, movable, movableAt, refusals }) => (
              <li key={`${namespace}/${name}`}>
                <p>
                  <a class="name" href={hrefOf('/why', { target: `pod/${namespace}/${name}` })}>
                    {namespace}/{name}
                  </a>{' '}
                  {movable ? 'may be moved now' : 'may not be moved now'}
                  {movableAt !== undefined && (
                    <>
                      , until <Until at={movableAt} />
                    </>
                  )}
                </p>
                {refusals.map(({ message }, index) => (
                  <p key={index} class="dim">
                    {message}
                  </p>
                ))}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function PodWhyView({ why: { owner, node, movable, movableAt, refusals, rules, pdbs } }: { why: PodWhy }) {
  return (
    <>
      <dl class="facts">
        {owner && (
          <>
            <dt>Owner</dt>
            <dd class="name">{owner}</dd>
          </>
        )}
        <dt>Movable</dt>
        <dd>
          {movable ? (
            'now'
          ) : movableAt === undefined ? (
            'when the cluster changes or someone acts'
          ) : (
            <Until at={movableAt} />
          )}
        </dd>
        {node && (
          <>
            <dt>Node</dt>
            <dd>
              <a class="name" href={hrefOf('/why', { target: `node/${node.name}` })}>
                {node.name}
              </a>
              <p class="dim">{node.headline}</p>
            </dd>
          </>
        )}
        {pdbs.length > 0 && (
          <>
            <dt>Disruption budgets</dt>
            <dd>{pdbs.map(({ namespace, name, allowed }) => `${namespace}/${name} allows ${allowed}`).join(', ')}</dd>
          </>
        )}
      </dl>
      {rules.length > 0 && (
        <div class="wish">
          <h3>Rules</h3>
          <ul class="refusals">
            {rules.map(({ text, permits, nextChange }, index) => (
              <li key={index}>
                <span class={`chip ${permits ? 'go' : 'held'}`}>{permits ? 'permits' : 'holds'}</span> {text}
                {nextChange !== undefined && (
                  <span class="dim">
                    {' '}
                    Changes <Until at={nextChange} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
      {refusals.length > 0 && <Refusals refusals={refusals} />}
    </>
  );
}
