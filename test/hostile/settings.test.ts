// Settings with arbitrary values.
import { afterAll, describe, it } from 'vitest';
import { Apart } from './apart.ts';
import { many } from './objects.ts';
import { expectErrors, type Saying } from './says.ts';

const apart = new Apart();
afterAll(() => apart.end());

const text = (length: number): string => 'x'.repeat(length);

describe('M: settings', () => {
  it.each<{ name: string; content: string; says: Saying }>([
    { name: 'not a map', content: '- 1\n- 2\n', says: { message: /Settings must be a map\. Write one/ } },
    { name: 'a text', content: text(1e6), says: { message: /Settings must be a map/ } },
    {
      name: 'two documents',
      content: 'role: guide\n---\nrole: drive\n',
      says: { line: 3, message: /More than one document/ },
    },
    {
      name: 'a bomb',
      content: ['l0: &l0 [lol]', ...many(40, (i) => `l${i + 1}: &l${i + 1} [*l${i}, *l${i}]`)].join('\n'),
      says: { message: /more than 10 times its size/ },
    },
    { name: 'a key twice', content: 'role: guide\nrole: drive\n', says: { line: 2, message: /Duplicate key "role"/ } },
    {
      name: '100,000 keys',
      content: many(1e5, (i) => `k${i}: 1\n`).join(''),
      says: { path: 'k0', message: /Unknown setting k0\. Known settings: role/ },
    },
    {
      name: 'keys named like inherited properties',
      content: '{"__proto__": {"role": "drive"}, "constructor": 1, "toString": 2}',
      says: { path: '__proto__', message: /Unknown setting __proto__/ },
    },
    {
      name: 'an invalid selector',
      content: `pools: "a${' '.repeat(1e5)}("`,
      says: { path: 'pools', message: /is not a valid selector/ },
    },
    {
      name: 'a duration of 1 MB',
      content: `repairAfter: ${'9'.repeat(1e6)}h`,
      says: { path: 'repairAfter', message: /is not a valid duration/ },
    },
    {
      name: 'a price out of range',
      content: 'catalogue: [{name: a, cpu: 1e400, offerings: [{zone: a, capacityType: b, price: .inf}]}]',
      says: { path: 'catalogue[0].offerings[0].price', message: /Infinity is not a valid price/ },
    },
    { name: 'a missing catalogue', content: 'catalogue: nowhere.yaml', says: { message: /[Nn]o such file/ } },
    { name: 'an endless catalogue', content: 'catalogue: /dev/zero', says: { message: /Too large/ } },
  ])('$name', async ({ content, says }) => {
    expectErrors(await apart.run(['settings', '-o', 'json', '--settings', apart.write(content)]), [says]);
  });

  it.each<{ pair: string; says: Saying }>([
    { pair: 'role', says: { message: /"role" is not a setting\. Write key=value/ } },
    { pair: '=', says: { message: /"=" is not a setting/ } },
    { pair: '__proto__=x', says: { path: '__proto__', message: /Unknown setting __proto__/ } },
    { pair: 'constructor=x', says: { path: 'constructor', message: /Unknown setting constructor/ } },
    { pair: 'role=\u001b[2J', says: { path: 'role', message: /"\\u001b\[2J" is not a valid value/ } },
    { pair: `role=${text(1e5)}`, says: { path: 'role', message: /^"x{59}… is not a valid value: use observe/ } },
    { pair: 'repairAfter=9999999999999h', says: { path: 'repairAfter', message: /is not a valid duration/ } },
    { pair: 'repairBreaker=101%', says: { path: 'repairBreaker', message: /is not a valid number of nodes/ } },
    { pair: `pools=${' '.repeat(5e4)}a(`, says: { path: 'pools', message: /is not a valid selector/ } },
    { pair: `pools=${'a,'.repeat(5e4)}!`, says: { path: 'pools', message: /is not a valid selector/ } },
    { pair: `${text(1e5)}=1`, says: { message: /^Unknown setting x{60}…/ } },
    { pair: 'catalogue=/dev/zero', says: { message: /Too large/ } },
  ])('--set $pair', async ({ pair, says }) => {
    expectErrors(await apart.run(['settings', '-o', 'json', '--set', pair]), [says]);
  });
});
