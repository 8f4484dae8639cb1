// npm run cluster:up [-- --name NAME --no-karpenter --real-node --aws]: a real cluster that stays, and how to speak to it.
import { parseArgs } from 'node:util';
import { awsCrds, startAws, whyNoAws } from './aws/start.ts';
import { goVersion, isBuilt, modules } from './binaries.ts';
import { startCluster } from './cluster.ts';
import { kubeconfigOf } from './keys.ts';
import { startNode } from './node/node.ts';
import { whyNoNode } from './node/requirements.ts';
import { bin, program, runFolder } from './places.ts';
import { whoRuns } from './running.ts';

const { values } = parseArgs({
  options: {
    name: { type: 'string', default: 'dev' },
    karpenter: { type: 'boolean', default: true },
    'real-node': { type: 'boolean', default: false },
    aws: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  allowNegative: true,
});
const { name, karpenter, aws, 'real-node': realNode } = values;
const say = (sentence: string): void => void process.stderr.write(`cluster:up: ${sentence}\n`);

if (!modules.every(isBuilt) && !goVersion()) process.exit(1); // cluster:build has printed the reason
const whyNot = (realNode ? whyNoNode() : undefined) ?? (aws ? whyNoAws() : undefined);
if (whyNot) {
  say(`${whyNot}.`);
  process.exit(1);
}
const running = await whoRuns(runFolder(name));
const began = performance.now();
let kubeconfig = kubeconfigOf(runFolder(name), 'admin');
if (running.length > 0) say(`${name} is running already: ${running.join(', ')}.`);
else {
  const cluster = await startCluster({
    name,
    karpenter: karpenter && !aws,
    realNode,
    ...(aws && { crds: awsCrds }),
    detached: true,
    say,
  });
  kubeconfig = cluster.kubeconfig;
  if (realNode) {
    say('the node joins …');
    try {
      await startNode(cluster);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    say('the node real is Ready; its taint CriticalAddonsOnly keeps pods away that do not tolerate it.');
  }
  if (aws) {
    await startAws(cluster);
    say(
      "AWS's Karpenter is ready, with EC2NodeClass default; zones us-east-1a, b and c. npm run cluster:aws acts on its account.",
    );
  }
  cluster.api.close();
  say(`${name} is up after ${((performance.now() - began) / 1000).toFixed(1)} s.`);
}
say(`End it with: npm run cluster:down -- --name ${name}`);
process.stdout.write(
  values.json
    ? `${JSON.stringify({ name, kubeconfig, kubectl: program('kubectl'), folder: runFolder(name) })}\n`
    : `export KUBECONFIG=${kubeconfig}\nexport PATH=${bin}:$PATH\n`,
);
