// How far is a roll, domain by domain, and whose turn is it?
import type { DomainReport } from '../engine/verdict.ts';
import { alignColumns } from './columns.ts';
import type { Scene } from './scene.ts';
import { dim, type Line, plain, type Style, styled } from './span.ts';

const styleOf: Readonly<Record<DomainReport['state'], Style>> = {
  turn: 'green',
  settling: 'yellow',
  waiting: 'bold',
  done: 'dim',
};

export function renderDomains(domains: readonly DomainReport[], { width }: Pick<Scene, 'width'>): Line[] {
  const byKey = Map.groupBy(domains, ({ topologyKey }) => topologyKey);
  return [...byKey].flatMap(([topologyKey, its]) => [
    [plain('  '), dim(`by ${topologyKey}`)],
    ...alignColumns([titles, ...its.map(row)], { indent: 4, width }),
  ]);
}

const titles: Line[] = ['domain', 'state', 'nodes', 'in use', 'limit', 'left'].map((title) => [dim(title)]);

const row = ({ domain, state, counted, consumed, limit, left }: DomainReport): Line[] => [
  [plain(domain ?? '(without the label)')],
  [styled(styleOf[state], state)],
  ...[counted, consumed, limit, left].map((number): Line => [plain(String(number))]),
];
