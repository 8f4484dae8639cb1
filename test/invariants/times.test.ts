import { describe, it } from 'vitest';
import type { PodReport, Round } from '../../src/engine/verdict.ts';
import { asInstant, formatInstant, type Instant } from '../../src/time/instant.ts';
import { decideAt, type Loaded, load } from './decide.ts';
import { fewerClusters, forAll } from './forAll.ts';
import { type Seen, see } from './oracle/cluster.ts';
import { hasRoom } from './oracle/pdbs.ts';

/** A change that a round announces: its name, with which to find it in another round, its instant and its present value. */
interface Said {
  readonly name: string;
  readonly at: Instant;
  readonly value: string;
}

type Saying = (round: Round) => { readonly said: Said[]; readonly value: (name: string, later: Round) => string };

/** Reports a value that changes before the announced instant, or is still the same at it. */
function untrue(saying: Saying, clause: string) {
  return ({ loaded, round }: { loaded: Loaded; round: Round }): string[] => {
    const { said, value } = saying(round);
    return said.slice(0, mostSaid).flatMap(({ name, at, value: now }) => {
      const [before, then] = [asInstant(at - 1000), at].map((later) => value(name, decideAt(loaded, later)));
      const when = formatInstant(at);
      if (at - 1000 > round.at && before !== now)
        return [`${clause}: ${name} is ${before} before ${when}, and was ${now}`];
      return then === now ? [`${clause}: ${name} is still ${now} at ${when}`] : [];
    });
  };
}

const mostSaid = 2;

interface Decided {
  readonly loaded: Loaded;
  readonly round: Round;
  readonly seen: Seen;
}

function forAllRounds(check: (decided: Decided) => string[]): void {
  forAll((plain) => {
    const loaded = load(plain);
    return check({ loaded, round: decideAt(loaded, loaded.at), seen: see(plain) });
  }, fewerClusters);
}

describe('the instants in a round', () => {
  it('E12: podsAgreeAt is the first at which no pod of the node refuses', () => {
    const podCodes = ['PodOptedOut', 'PodScheduleClosed', 'PodBlocked'];
    const minds = (name: string, { verdicts }: Round): string => {
      const verdict = verdicts.find(({ node, reason }) => `${node} ${reason}` === name);
      // In guide a verdict also has refusals of other reasons (N4), which podsAgreeAt does not cover.
      const own = verdict?.refusals.filter(({ message }) => !message.startsWith('Karpenter would disrupt it'));
      return own?.some(({ code }) => podCodes.includes(code)) ? 'held by pods' : 'not held by pods';
    };
    const saying: Saying = (round) => ({
      said: round.verdicts.flatMap(({ node, reason, podsAgreeAt: at }) => {
        const name = `${node} ${reason}`;
        return at === undefined ? [] : [{ name, at, value: minds(name, round) }];
      }),
      value: minds,
    });
    forAllRounds(untrue(saying, 'E12'));
  });

  it('E12: movableAt is the first at which a pod may be moved', () => {
    // A pod that lost the last eviction of its PDB to a node started in that round was movable at its start (E10).
    const isFree = ({ movable, refusals, node }: PodReport, seen: Seen): boolean =>
      movable || (refusals.every(({ code }) => code === 'PdbSpent') && hasRoom(node, seen));
    const isMovable =
      (seen: Seen) =>
      (name: string, { pods }: Round): string => {
        const pod = pods.find((it) => `${it.namespace}/${it.name}` === name);
        return String(!pod || isFree(pod, seen));
      };
    const saying =
      (seen: Seen): Saying =>
      (round) => ({
        said: round.pods.flatMap(({ namespace, name, movableAt: at }) =>
          at === undefined ? [] : [{ name: `${namespace}/${name}`, at, value: 'false' }],
        ),
        value: isMovable(seen),
      });
    forAllRounds((decided) => untrue(saying(decided.seen), 'E12')(decided));
  });

  it('J2: nextChange of an allowance is the first at which its limit changes', () => {
    const limitOf = (name: string, { allowances }: Round): string =>
      String(allowances.find(({ pool, reason }) => `${pool} ${reason}` === name)?.limit);
    const saying: Saying = (round) => ({
      said: round.allowances.flatMap(({ pool, reason, nextChange: at }) => {
        const name = `${pool} ${reason}`;
        return at === undefined ? [] : [{ name, at, value: limitOf(name, round) }];
      }),
      value: limitOf,
    });
    forAllRounds(untrue(saying, 'J2'));
  });

  it('D8: nextChange of a window is the first at which it opens or closes', () => {
    const isOpen = (name: string, { windows }: Round): string =>
      String(windows.find((window) => `${window.kind} ${window.name}` === name)?.open);
    const saying: Saying = (round) => ({
      said: round.windows.flatMap(({ kind, name, open, nextChange: at }) =>
        at === undefined ? [] : [{ name: `${kind} ${name}`, at, value: String(open) }],
      ),
      value: isOpen,
    });
    forAllRounds(untrue(saying, 'D8'));
  });
});
