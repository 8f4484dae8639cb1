// The refusals of a wish: each with its owner, when it lifts, and what to do.
import type { RefusalWithHelp } from '../../src/engine/why/wishWhy.ts';
import { Until } from '../parts/Until.tsx';
import { hrefOf } from '../route.ts';

export function Refusals({ refusals }: { refusals: readonly RefusalWithHelp[] }) {
  return (
    <ul class="refusals">
      {refusals.map((refusal, index) => (
        <li key={index}>
          <p>
            <span class="code">{refusal.code}</span> {refusal.message}
          </p>
          <p class="dim">
            {refusal.liftsAt === undefined ? (
              'Lifts when the cluster changes or someone acts.'
            ) : (
              <>
                Lifts <Until at={refusal.liftsAt} />.
              </>
            )}
            {refusal.owner && <Owner owner={refusal.owner} />}
          </p>
          <p class="dim">{refusal.help}</p>
        </li>
      ))}
    </ul>
  );
}

function Owner({ owner }: { owner: NonNullable<RefusalWithHelp['owner']> }) {
  const { kind, namespace, name, index } = owner;
  const text = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}${index === undefined ? '' : `, budgets[${index}]`}`;
  const target =
    kind === 'Pod'
      ? `pod/${namespace}/${name}`
      : kind === 'NodePool'
        ? `pool/${name}`
        : kind === 'Node'
          ? `node/${name}`
          : undefined;
  return <> Owner: {target === undefined ? <span>{text}</span> : <a href={hrefOf('/why', { target })}>{text}</a>}.</>;
}
