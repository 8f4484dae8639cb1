// Story events from a change of the ledger: commands started and ended, turns taken and passed, waves begun, rolls halted.

import { label } from '../../cluster/names.ts';
import type { KubeObject } from '../kubeObject.ts';
import { type RawCommand, type RawRoll, type RawTurn, readLedger } from '../ledgerRecord.ts';
import type { Objects } from '../objects.ts';
import type { NewStoryEvent, StoryEvent } from './storyEvent.ts';

export function ledgerEvents(
  was: KubeObject | undefined,
  is: KubeObject | undefined,
  objects: Objects,
): NewStoryEvent[] {
  const [before, now] = [readLedger(was), readLedger(is)];
  const [known, left] = [before.commands, now.commands];
  return [
    ...before.turns.flatMap((turn) => turnPassed(turn, now.turns)),
    ...now.turns.flatMap((turn) => turnTaken(turn, before.turns)),
    ...now.rolls.flatMap((roll) => [...waveBegun(roll, before.rolls), ...rollHalted(roll, before.rolls)]),
    // A new command that is already released was rebuilt after the ledger was lost, not chosen (G2).
    ...[...left.values()]
      .filter(({ id, step }) => (known.has(id) ? isTakenAfterAll(known.get(id), step) : !isUndone(step)))
      .flatMap((command) => nodesChosen(command, now.turns, objects)),
    ...[...known.values()]
      .filter((command) => isReleasedNow(command, left.get(command.id), objects))
      .flatMap((command) => nodesReleased(left.get(command.id) ?? command, now.turns, objects)),
  ];
}

/** The command's step says so, or the command was removed while its node still exists. */
function isReleasedNow(command: RawCommand, now: RawCommand | undefined, objects: Objects): boolean {
  if (isUndone(command.step)) return false;
  if (now) return isUndone(now.step);
  return command.nodes.some(({ name }) => objects.get('Node', name));
}

/** In drive mode the step is `released`; in guide mode, where Karpenter acts, it is `withdrawn`. */
const isUndone = (step: string | undefined): boolean => step === 'released' || step === 'withdrawn';

/** Karpenter took the node at the moment Lull withdrew it (N3). */
const isTakenAfterAll = (was: RawCommand | undefined, step: string | undefined): boolean =>
  was?.step === 'withdrawn' && step === 'taken';

function nodesChosen(command: RawCommand, turns: readonly RawTurn[], objects: Objects): NewStoryEvent[] {
  return command.nodes.map((node) => ({
    kind: 'NodeChosen',
    ...nodeFields(command, node, { turns, objects }),
    text:
      command.hands === 'karpenter'
        ? `${node.name} is offered to Karpenter (${command.reason}).`
        : `${node.name} is chosen (${command.reason})${describePlan(command, node.name)}.`,
  }));
}

/** The fields of an event that name its node and command. */
const nodeFields = (
  { id, pool, reason }: RawCommand,
  { name, domain }: RawCommand['nodes'][number],
  { turns, objects }: { readonly turns: readonly RawTurn[]; readonly objects: Objects },
) => ({
  node: name,
  pool,
  ...domainFields(
    domain,
    turns.find((turn) => turn.pool === pool),
    objects.get('Node', name),
  ),
  reason,
  command: id,
});

function describePlan({ nodes, replacements }: RawCommand, node: string): string {
  const others = nodes.map(({ name }) => name).filter((name) => name !== node);
  const together = others.length === 0 ? '' : ` together with ${others.join(', ')}`;
  if (replacements.length === 0) return `${together}; its pods fit on other nodes`;
  const count = replacements.length === 1 ? 'one replacement is' : `${replacements.length} replacements are`;
  return `${together}; ${count} launched first`;
}

const nodesReleased = (command: RawCommand, turns: readonly RawTurn[], objects: Objects): NewStoryEvent[] =>
  command.nodes
    .filter(({ name }) => objects.get('Node', name))
    .map((node) => {
      const why = command.why ? command.why.replace(/\.$/, '') : undefined;
      return {
        kind: 'NodeReleased',
        ...nodeFields(command, node, { turns, objects }),
        ...(why !== undefined && { why }),
        text: `${node.name} is released${why === undefined ? '' : `: ${why}`}.`,
      };
    });

const sameTurn = (a: RawTurn, b: RawTurn): boolean =>
  a.pool === b.pool && a.topologyKey === b.topologyKey && a.domain === b.domain && a.takenAt === b.takenAt;

function turnTaken(turn: RawTurn, before: readonly RawTurn[]): NewStoryEvent[] {
  if (before.some((it) => sameTurn(it, turn))) return [];
  const text = `${turnHolder(turn, 'take')} the turn.`;
  return [{ kind: 'TurnTaken', pool: turn.pool, ...domainFields(turn.domain, turn, undefined), text }];
}

function turnPassed(turn: RawTurn, now: readonly RawTurn[]): NewStoryEvent[] {
  if (now.some((it) => sameTurn(it, turn))) return [];
  const next = now.find(({ pool }) => pool === turn.pool);
  const leftBehind = next?.passedOver.includes(turn.domain ?? null);
  const how =
    turn.passAsked !== undefined
      ? 'requested by a user'
      : leftBehind
        ? 'its remaining nodes cannot be disrupted'
        : 'done and healthy';
  const text = `${turnHolder(turn, 'pass')} the turn: ${how}.`;
  return [{ kind: 'TurnPassed', pool: turn.pool, ...domainFields(turn.domain, turn, undefined), text }];
}

function waveBegun(roll: RawRoll, before: readonly RawRoll[]): NewStoryEvent[] {
  const { pool, wave, done, counted, startedAt } = roll;
  if (before.some((it) => it.pool === pool && it.startedAt === startedAt && it.wave === wave)) return [];
  const text =
    wave === 0
      ? `A new roll of pool ${pool} begins.`
      : `Wave ${wave + 1} of pool ${pool} begins: ${done} of ${counted} nodes replaced and healthy.`;
  return [{ kind: 'WaveBegun', pool, text }];
}

function rollHalted({ pool, haltedAt }: RawRoll, before: readonly RawRoll[]): NewStoryEvent[] {
  if (haltedAt === undefined || before.some((it) => it.pool === pool && it.haltedAt === haltedAt)) return [];
  return [{ kind: 'RollHalted', pool, text: `The roll of pool ${pool} is halted: replacements in a row failed.` }];
}

/** `Zone a of pool web takes`; for other keys their last part: `Rack 7`. */
function turnHolder({ pool, topologyKey, domain }: RawTurn, verb: 'take' | 'pass'): string {
  const noun = topologyNoun(topologyKey);
  if (domain === undefined) return `The nodes of pool ${pool} without a ${noun} ${verb}`;
  const capital = `${noun[0]?.toUpperCase() ?? ''}${noun.slice(1)}`;
  return `${capital} ${domain} of pool ${pool} ${verb === 'take' ? 'takes' : 'passes'}`;
}

export const topologyNoun = (topologyKey: string): string => topologyKey.slice(topologyKey.lastIndexOf('/') + 1);

/** The domain the turn took the node from; otherwise the node's zone. */
function domainFields(
  domain: string | undefined,
  turn: RawTurn | undefined,
  node: KubeObject | undefined,
): Pick<StoryEvent, 'domain' | 'topologyKey'> {
  if (domain === undefined) {
    const zone = node?.metadata.labels?.[label.zone];
    return zone === undefined ? {} : { domain: zone };
  }
  return turn && turn.topologyKey !== label.zone ? { domain, topologyKey: turn.topologyKey } : { domain };
}
