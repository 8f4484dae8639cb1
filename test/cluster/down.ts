// npm run cluster:down [-- --name NAME | --all]: ends a cluster that cluster:up has started, and removes its folder.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runFolder, runs } from './places.ts';
import { endAll, whoRuns } from './running.ts';

const { values } = parseArgs({
  options: { name: { type: 'string', default: 'dev' }, all: { type: 'boolean', default: false } },
});
const here = existsSync(runs) ? readdirSync(runs) : [];
const names = values.all ? here : [values.name];
for (const name of names) {
  const running = await whoRuns(runFolder(name));
  await endAll(runFolder(name));
  rmSync(runFolder(name), { recursive: true, force: true });
  const what = running.length > 0 ? `ended (${running.join(', ')})` : 'was not running';
  process.stderr.write(`cluster:down: ${name} ${what}.\n`);
}
if (names.length === 0) process.stderr.write('cluster:down: there is no cluster.\n');
