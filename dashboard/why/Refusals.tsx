// What holds it? Each rule with its sentence, whose it is, when it lifts, and what a person could do.
import type { Advised } from '../../src/engine/why/wishWhy.ts';
import { Until } from '../parts/Until.tsx';
import { hrefOf } from '../route.ts';

export function Refusals({ refusals }: { refusals: readonly Advised[] }) {
  return (
    <ul class="refusals">
      {refusals.map((refusal, index) => (
        <li key={index}>
          <p>
            <span class="code">{refusal.code}</span> {refusal.message}
          </p>
          <p class="dim">
            {refusal.liftsAt === undefined ? (
              'Time alone does not lift it.'
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

function Owner({ owner }: { owner: NonNullable<Advised['owner']> }) {
  const { kind, namespace, name, index } = owner;
  const text = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}${index === undefined ? '' : `, budget ${index}`}`;
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
