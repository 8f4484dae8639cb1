// npm run cluster:aws -- [--name NAME] image VERSION | notify KIND NODE | short ZONE | back ZONE | terminate NODE | list: acts on the account of a cluster that `cluster:up -- --aws` started.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runFolder } from '../places.ts';
import { isNotice, notices, openAccount } from './account.ts';
import { accountFile } from './start.ts';

const { values, positionals } = parseArgs({
  options: { name: { type: 'string', default: 'dev' } },
  allowPositionals: true,
});
const [verb = '', ...words] = positionals;
const account = openAccount(JSON.parse(readFileSync(join(runFolder(values.name), accountFile), 'utf8')));
const say = (sentence: string): void => void process.stdout.write(`${sentence}\n`);

/** A node by the name that kubectl shows. */
async function instanceOf(node = ''): Promise<string> {
  const found = (await account.instances()).find(({ dnsName, state }) => dnsName === node && state === 'running');
  if (!found) throw new Error(`No running instance is named "${node}"`);
  return found.id;
}

const [first = '', second = ''] = words;
switch (verb) {
  case 'image':
    say(`${await account.publishImage(first)} is al2023@${first}`);
    break;
  case 'notify':
    if (!isNotice(first)) throw new Error(`"${first}" is not one of: ${notices.join(', ')}`);
    await account.notify(first, await instanceOf(second));
    break;
  case 'short':
  case 'back':
    await account.setShortage(first, verb === 'short');
    break;
  case 'terminate':
    await account.terminate(await instanceOf(first));
    break;
  case 'list':
    for (const { id, state, type, zone, image, dnsName } of await account.instances())
      say([id, state, type, zone, image, dnsName].join('  '));
    break;
  default:
    say('image VERSION | notify KIND NODE | short ZONE | back ZONE | terminate NODE | list');
    process.exitCode = 1;
}
