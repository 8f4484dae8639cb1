// Snapshots of a real cluster with a real Karpenter, as `kubectl get … -o yaml` printed them, are decided sensibly.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../src/cluster/settings.ts';
import type { Round } from '../../src/engine/verdict.ts';
import { readDocuments } from '../../src/kinds/text/documents.ts';
import { decide } from './decide.ts';

const folder = new URL('snapshots/', import.meta.url);

/** Each at the latest instant in it. The number of verdicts of each kind is fixed, so that changes are noticed. */
const situations: readonly { file: string; at: string; verdicts: Readonly<Record<string, number>> }[] = [
  {
    file: '01-steady.yaml',
    at: '2026-11-15T11:34:21Z',
    verdicts: {
      'Underutilized held NotStable': 6,
    },
  },
  {
    file: '02-drifted-held-by-zero-budget.yaml',
    at: '2026-11-15T11:35:44Z',
    verdicts: {
      'Drifted held BudgetSpent': 6,
      'Underutilized held BudgetSpent': 6,
    },
  },
  {
    file: '05-drift-roll-two-zones-at-once.yaml',
    at: '2026-11-15T11:42:09Z',
    verdicts: {
      'Drifted held AnotherDomainInFlight+NotItsTurn': 1,
      'Drifted held BudgetSpent+NodeOptedOut': 2,
      'Drifted underway': 2,
      'Underutilized held BudgetSpent': 4,
      'Underutilized held BudgetSpent+NodeOptedOut': 2,
      'Underutilized held NotCheaper': 5,
      'Underutilized held NotStable': 2,
      'Underutilized underway': 2,
    },
  },
  {
    file: '06-many-empty-hand-made-nodes.yaml',
    at: '2026-11-15T11:44:12Z',
    verdicts: {
      'Drifted held BudgetSpent': 1,
      'Drifted held BudgetSpent+NodeOptedOut': 2,
      'Empty held BudgetSpent': 7,
      'Empty held BudgetSpent+NodeOptedOut': 1,
      'Underutilized held BudgetSpent': 3,
      'Underutilized held BudgetSpent+NodeOptedOut': 2,
      'Underutilized held NotCheaper': 9,
      'Underutilized underway': 1,
    },
  },
  {
    file: '07-drain-blocked-by-pdb.yaml',
    at: '2026-11-15T11:48:34Z',
    verdicts: {
      'Drifted held BudgetSpent+NodeOptedOut+PdbSpent': 1,
      'Underutilized held BudgetSpent+NodeOptedOut+NotStable+PdbSpent': 1,
      'Underutilized held BudgetSpent+NodeOptedOut+PdbSpent': 1,
      'Underutilized held BudgetSpent+NotStable': 1,
      'Underutilized held BudgetSpent+PdbSpent': 4,
      'Underutilized underway': 1,
    },
  },
  {
    file: '08-cordoned-and-notready.yaml',
    at: '2026-11-15T11:52:10Z',
    verdicts: {
      'Drifted held BudgetSpent+NodeOptedOut': 1,
      'Underutilized held BudgetSpent': 4,
      'Underutilized held BudgetSpent+NodeOptedOut': 2,
      'Underutilized held BudgetSpent+NotReady': 1,
    },
  },
  {
    file: '10-drift-roll-replacement-launching.yaml',
    at: '2026-11-15T12:09:09Z',
    verdicts: {
      'Drifted held DomainBudgetSpent+PdbSpent': 1,
      'Drifted held NotItsTurn': 1,
      'Drifted held NotItsTurn+PdbSpent': 4,
      'Drifted underway': 1,
      'Underutilized held NotStable': 1,
      'Underutilized held NotStable+PdbSpent': 5,
      'Underutilized underway': 1,
    },
  },
  {
    file: '13-one-empty-node.yaml',
    at: '2026-11-15T12:11:21Z',
    verdicts: {
      'Empty held BudgetSpent+NotStable': 1,
      'Underutilized held BudgetSpent': 5,
      'Underutilized held BudgetSpent+NotStable': 1,
    },
  },
];

function decideFile(file: string, at: string): Round {
  const { documents, errors } = readDocuments(readFileSync(new URL(file, folder), 'utf8'), file);
  expect(errors).toEqual([]);
  return decide({ objects: documents.map(({ object }) => object), at, settings: defaultSettings });
}

/** `Drifted held BudgetSpent+NodeOptedOut`: how many of each. */
function summary({ verdicts }: Round): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reason, outcome, refusals } of verdicts) {
    const codes = [...new Set(refusals.map(({ code }) => code))].sort().join('+');
    const key = [reason, outcome, ...(codes ? [codes] : [])].join(' ');
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

it('covers every snapshot', () => expect(situations.map(({ file }) => file)).toEqual(readdirSync(folder).sort()));

describe.each(situations)('$file', ({ file, at, verdicts: expected }) => {
  const round = decideFile(file, at);

  it('is read without a fault', () => expect(round.faults.filter(({ severity }) => severity !== 'info')).toEqual([]));

  it('has a reason for each node that is held, and for no other', () => {
    for (const { outcome, refusals } of round.verdicts) expect(refusals.length > 0).toBe(outcome === 'held');
  });

  it('has one verdict for each node and reason, and a command for each with the outcome go', () => {
    const keys = round.verdicts.map(({ node, reason }) => `${node} ${reason}`);
    expect(new Set(keys).size).toBe(keys.length);
    const going = round.verdicts
      .filter(({ outcome }) => outcome === 'go')
      .map(({ node, reason }) => `${node} ${reason}`);
    const taken = round.commands.flatMap(({ nodes, reason }) => nodes.map(({ name }) => `${name} ${reason}`));
    expect(going.sort()).toEqual(taken.sort());
  });

  it('has the expected verdicts', () => expect(summary(round)).toEqual(expected));
});
