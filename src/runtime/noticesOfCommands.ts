// What became of the nodes that go (G1)? Each step of a command is told on its nodes and claims, its end on the pool.
import type { Command, Step } from '../cluster/ledger.ts';
import type { Cluster } from '../cluster/store.ts';
import { saySavings, trialWords } from '../engine/why/savingsWords.ts';
import { formatDuration } from '../time/duration.ts';
import { asDuration, between, second } from '../time/instant.ts';
import type { About, Looking, Notice, Remembered } from './notice.ts';

export function commandNotices({ told, before }: Looking): Notice[] {
  // After a restart the ledger is where it goes on from: what stands there was told when it was written.
  if (!before) return [];
  const { cluster, ledger } = told.facts;
  const known = new Map(before.ledger.commands.map((command) => [command.id, command]));
  const steps = ledger.commands
    .filter(({ id, step }) => known.get(id)?.step !== step)
    .flatMap((command) => stepNotices(command, cluster));
  const present = new Set(ledger.commands.map(({ id }) => id));
  const over = before.ledger.commands.filter(({ id }) => !present.has(id));
  return [...steps, ...over.flatMap((command) => farewell(command, before, cluster))];
}

type Words = (command: Command) => string;

const words: Readonly<Record<Step, readonly [reason: string, words: Words]>> = {
  chosen: ['Chosen', (command) => `It is to go: ${command.reason}${worth(command)}.`],
  tainted: ['Tainted', ({ reason }) => `No new pod is placed on it any more: ${reason}.`],
  replacing: ['Replacing', ({ replacements }) => `It waits for ${replacements.map(({ name }) => name).join(', ')}.`],
  draining: ['Draining', ({ reason }) => `Its pods are asked to go: ${reason}.`],
  terminating: ['Terminating', () => 'It is empty, and its claim is deleted.'],
  released: ['Released', ({ why }) => `It stays: ${why ?? 'nothing is known of why'}.`],
  offered: ['Offered', (command) => `Karpenter may take it now: ${command.reason}${worth(command)}.`],
  taken: ['Taken', ({ reason }) => `Karpenter takes it away: ${reason}.`],
  withdrawn: ['Withdrawn', ({ why }) => `Karpenter may not take it any more: ${why ?? 'nothing is known of why'}.`],
};

/** `; that saves 0.192 an hour, moves 3 pods` */
function worth(command: Command): string {
  const figures = saySavings(command);
  const aim = command.trial ? `, ${trialWords}` : '';
  return `${aim}${figures === '' ? '' : `; that ${figures}`}`;
}

function stepNotices(command: Command, cluster: Cluster): Notice[] {
  const { id, step } = command;
  const [reason, say] = words[step];
  const isBack = step === 'released' || step === 'withdrawn';
  const shared = { reason, message: say(command), key: id, weight: isBack ? 3 : 2 } as const;
  return placesOf(command, cluster).map((about) => ({ about, type: isBack ? 'Warning' : 'Normal', ...shared }));
}

/** Where they can still be found. */
function placesOf({ nodes }: Command, cluster: Cluster): About[] {
  return nodes.flatMap(({ name, claim: claimName }): About[] => {
    const view = cluster.node(name);
    const claim = claimName === undefined ? view?.claim : cluster.claim(claimName);
    return [
      ...(view ? [{ kind: 'Node', name, uid: view.node.uid }] : []),
      ...(claim ? [{ kind: 'NodeClaim', name: claim.name, uid: claim.uid }] : []),
    ];
  });
}

function farewell(command: Command, { round }: Remembered, cluster: Cluster): Notice[] {
  const { id, pool, reason, nodes, step, startedAt, replacements } = command;
  const ended = round.ended.find((it) => it.id === id);
  if (ended?.how === 'released') {
    const isTold = step === 'released' || step === 'withdrawn';
    return isTold ? [] : stepNotices({ ...command, step: 'released', ...(ended.why && { why: ended.why }) }, cluster);
  }
  if (!ended) return [];
  const took = formatDuration(asDuration(Math.round(between(startedAt, round.at) / second) * second));
  const instead = replacements.length > 0 ? `; in its place: ${replacements.map(({ name }) => name).join(', ')}` : '';
  const uid = cluster.pools.get(pool)?.uid;
  const about = { kind: 'NodePool', name: pool, ...(uid !== undefined && { uid }) };
  return nodes.map(({ name }) => ({
    about,
    type: 'Normal',
    reason: 'NodeGone',
    message: `${name} is gone ${took} after it was chosen: ${reason}${instead}.`,
    key: `${id}/${name}`,
    weight: 2,
  }));
}
