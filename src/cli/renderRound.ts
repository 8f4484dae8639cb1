// How is a round told to a person? Pool by pool, then windows and faults, and last when to look again.
import type { Round } from '../engine/verdict.ts';
import { alignColumns } from './columns.ts';
import { sayMoment, sayUtc } from './moment.ts';
import { commandsByNode, partsByPool, renderPool } from './renderPool.ts';
import { renderReports } from './renderReports.ts';
import { count, type Scene } from './scene.ts';
import { bold, dim, emptyLine, type Line, plain, styled } from './span.ts';

export function renderRound(round: Round, scene: Scene): Line[] {
  const parts = { at: round.at, commands: commandsByNode(round.commands) };
  return [
    ...renderSummary(round, scene),
    emptyLine,
    ...partsByPool(round).flatMap((part) => [...renderPool(part, parts, scene), emptyLine]),
    ...renderReports(round, scene),
    [
      dim('next look: '),
      plain(round.wakeAt === undefined ? 'when something changes' : sayMoment(round.wakeAt, round.at)),
    ],
  ];
}

function renderSummary(round: Round, { counted, role, width }: Scene): Line[] {
  const nodes = [...counted.values()].reduce((sum, number) => sum + number, 0);
  const head = `${count(nodes, 'node')} in ${count(counted.size, 'pool')} at ${sayUtc(round.at)}, role ${role}: `;
  return alignColumns([[[bold(head), ...(nodes === 0 ? nobody : outcome(round))]]], { indent: 0, width });
}

const nobody: Line = [styled('yellow', 'there is no node of a pool to decide about')];

function outcome({ verdicts, faults }: Round): Line {
  const nodesWith = (wanted: string): Set<string> =>
    new Set(verdicts.filter(({ outcome: it }) => it === wanted).map(({ node }) => node));
  const [go, underway] = [nodesWith('go'), nodesWith('underway')];
  const held = nodesWith('held').difference(go).difference(underway);
  const errors = faults.filter(({ severity }) => severity === 'error').length;
  const wrong = errors > 0 ? [styled('red', `, ${count(errors, 'error')} in the input`)] : [];
  if (verdicts.length === 0) return [styled('green', 'all is well, no node has a reason to go'), ...wrong];
  return [
    styled('green', `${go.size} may go now`),
    plain(`, ${underway.size} under way, `),
    styled('yellow', `${held.size} held`),
    ...wrong,
  ];
}
