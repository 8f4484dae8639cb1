// Objects of absurd size or value, and ledgers that cannot be trusted.
import { afterAll, describe, it } from 'vitest';
import { Apart } from './apart.ts';
import { extremes } from './extremeObjects.ts';
import type { Json } from './json.ts';
import { command, inCluster, ledger, lines, many } from './objects.ts';
import { expectErrors, expectRound, type Saying } from './says.ts';

const apart = new Apart();
afterAll(() => apart.end());

describe('K1: a fault is reported, however large the input', () => {
  it.each(extremes)('$name', async ({ objects, says }) => {
    expectRound(await apart.read(lines(...objects)), says);
  });

  it.each([
    ['1e400', 'Infinity'],
    ['.inf', 'Infinity'],
    ['-.inf', '-Infinity'],
    ['.nan', 'NaN'],
    ['99999999999999999999', '100000000000000000000'],
    ['0x7fffffffffffffff', '9223372036854776000'],
    ['-1', '-1'],
    ['1.5', '1.5'],
    ['190:20:30', '"190:20:30"'],
  ])('nodes: %s, in YAML', async (written, shown) => {
    const yaml = `apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec:\n  disruption:\n    budgets:\n    - nodes: ${written}\n`;
    const message = new RegExp(`^${shown.replaceAll('.', '\\.')} is not a valid number of nodes`);
    expectRound(await apart.read(yaml), [
      { object: 'NodePool/p', path: 'spec.disruption.budgets[0].nodes', line: 7, message },
    ]);
  });
});

describe('G2: an unreadable ledger', () => {
  const path = 'spec.commands[0].reason';
  it.each<{ name: string; spec: Json; says: Saying }>([
    {
      name: 'is newer',
      spec: { version: 2 },
      says: { path: 'spec.version', message: /Ledger version 2 is newer than this Lull.*Run the newer/ },
    },
    { name: 'has no version', spec: {}, says: { path: 'spec.version', message: /Do not edit the ledger/ } },
    { name: 'has a huge version', spec: { version: 1e308 }, says: { path: 'spec.version', message: /newer/ } },
    {
      name: 'contains an invalid reason',
      spec: { version: 1, commands: [{ ...command(0), reason: 'x' }] },
      says: { path, message: /Do not edit the ledger/ },
    },
    {
      name: 'contains 100,000 invalid commands',
      spec: { version: 1, commands: many(1e5, () => 1) },
      says: { path: 'spec.commands[0]', message: /Do not edit the ledger/ },
    },
    {
      name: 'contains a text of 1 MB',
      spec: { version: 1, commands: [{ ...command(0), pool: 'x'.repeat(1e6) }] },
      says: { path: 'spec.commands[0].pool', message: /has 1000000 characters; Lull writes at most 1000/ },
    },
    {
      name: 'contains an invalid instant',
      spec: { version: 1, backoffs: [{ pool: 'p', until: '2026', delay: '1m' }] },
      says: { path: 'spec.backoffs[0].until', message: /not an RFC 3339 time/ },
    },
  ])('$name: nothing is decided', async ({ spec, says }) => {
    expectErrors(await apart.read(inCluster(ledger(spec))), [{ object: 'DisruptionLedger/lull', ...says }]);
  });

  it('blocks everything: nothing is decided', async () => {
    const cyclic = 'apiVersion: lull.dev/v1alpha1\nkind: DisruptionLedger\nspec: &a\n  version: 1\n  commands: [*a]\n';
    expectErrors(await apart.read(cyclic), [{ line: 5, message: /&a contains itself/ }]);
  });
});
