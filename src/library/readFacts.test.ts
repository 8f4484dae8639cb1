import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { roundAsJson } from '../cli/decide/roundJson.ts';
import { factsOf, gatherInput } from '../cli/input.ts';
import { decideRound, defaultSettings, type Instant, parseInstant, readFacts, readSettings } from './engine.ts';

const file = 'scenarios/seeds/zones-business-hours.yaml';
const text = readFileSync(file, 'utf8');
const at = parseInstant('2026-03-11T18:00:00Z') as Instant;

describe('readFacts', () => {
  it('gives the round that `lull decide` gives of the same text', () => {
    const { facts, errors } = readFacts(text);
    const known = factsOf(gatherInput([{ file, text }]), defaultSettings);
    const mine = JSON.stringify(roundAsJson(decideRound(facts, at, defaultSettings), facts.ledger).verdicts);
    expect(errors).toEqual([]);
    expect(mine).toBe(JSON.stringify(roundAsJson(decideRound(known, at, defaultSettings), known.ledger).verdicts));
    expect(mine).toContain('BudgetSpent');
  });

  it.each([
    { name: 'text that is not YAML', text: 'a: [b', says: /./ },
    {
      name: 'a ledger that cannot be trusted',
      text: 'apiVersion: lull.dev/v1alpha1\nkind: DisruptionLedger\nmetadata: { name: lull }\nspec: { version: 99 }\n',
      says: /./,
    },
  ])('K1: reads nothing of $name, and says why', ({ text: bad, says }) => {
    const { facts, errors } = readFacts(`${text}\n---\n${bad}`);
    expect(errors[0]?.message).toMatch(says);
    expect(decideRound(facts, at, defaultSettings).verdicts).toEqual([]);
  });
});

it('M: readSettings says what it does not know', () => {
  expect(readSettings({ role: 'guide' })).toMatchObject({ settings: { role: 'guide' }, errors: [] });
  expect(readSettings({ rôle: 'guide' }).errors).toHaveLength(1);
});
