// npm run cluster:up [-- --name NAME --no-karpenter]: a real cluster that stays, and how to speak to it.
import { parseArgs } from 'node:util';
import { goVersion, isBuilt, modules } from './binaries.ts';
import { startCluster } from './cluster.ts';
import { kubeconfigOf } from './keys.ts';
import { bin, program, runFolder } from './places.ts';
import { whoRuns } from './running.ts';

const { values } = parseArgs({
  options: {
    name: { type: 'string', default: 'dev' },
    karpenter: { type: 'boolean', default: true },
    json: { type: 'boolean', default: false },
  },
  allowNegative: true,
});
const { name, karpenter } = values;
const say = (sentence: string): void => void process.stderr.write(`cluster:up: ${sentence}\n`);

if (!modules.every(isBuilt) && !goVersion()) process.exit(1); // cluster:build has said why
const running = await whoRuns(runFolder(name));
const began = performance.now();
let kubeconfig = kubeconfigOf(runFolder(name), 'admin');
if (running.length > 0) say(`${name} is running already: ${running.join(', ')}.`);
else {
  const cluster = await startCluster({ name, karpenter, detached: true, say });
  kubeconfig = cluster.kubeconfig;
  cluster.api.close();
  say(`${name} is up after ${((performance.now() - began) / 1000).toFixed(1)} s.`);
}
say(`End it with: npm run cluster:down -- --name ${name}`);
process.stdout.write(
  values.json
    ? `${JSON.stringify({ name, kubeconfig, kubectl: program('kubectl'), folder: runFolder(name) })}\n`
    : `export KUBECONFIG=${kubeconfig}\nexport PATH=${bin}:$PATH\n`,
);
