// Which commands of a round are really under way? N1: in observe nothing is begun; what is under way there was begun in another role.
import type { CommandReport, Round } from '../engine/verdict.ts';
import type { Figures } from './metric.ts';

export function begunCommands({ commands, verdicts }: Round, role: Figures['role']): readonly CommandReport[] {
  if (role !== 'observe') return commands;
  const go = new Set(verdicts.filter(({ outcome }) => outcome === 'go').map(({ node }) => node));
  return commands.filter(({ nodes }) => !nodes.some(({ name }) => go.has(name)));
}
