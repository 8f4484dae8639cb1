// What does one write of the ledger tell? Nodes chosen and released, turns taken and passed.
import { label } from '../../cluster/names.ts';
import type { KubeObject } from '../kubeObject.ts';
import type { Objects } from '../objects.ts';
import type { StoryEvent } from './event.ts';
import { ledgerIn, type RawCommand, type RawTurn } from './ledgerSpec.ts';

type Told = Omit<StoryEvent, 'at'>;

export function tellLedger(was: KubeObject | undefined, is: KubeObject | undefined, objects: Objects): Told[] {
  const [before, now] = [ledgerIn(was), ledgerIn(is)];
  const known = new Map(before.commands.map((command) => [command.id, command]));
  const left = new Map(now.commands.map((command) => [command.id, command]));
  return [
    ...before.turns.flatMap((turn) => tellPassed(turn, now.turns)),
    ...now.turns.flatMap((turn) => tellTaken(turn, before.turns)),
    // One that is released from the start was found, not chosen: the ledger was lost (G2).
    ...now.commands
      .filter(({ id, step }) => (known.has(id) ? isTakenAfterAll(known.get(id), step) : !isUndone(step)))
      .flatMap((command) => tellChosen(command, now.turns, objects)),
    ...before.commands
      .filter((command) => isReleasedNow(command, left.get(command.id), objects))
      .flatMap((command) => tellReleased(left.get(command.id) ?? command, now.turns, objects)),
  ];
}

/** Either it says so, or it is struck out while its node stays. */
function isReleasedNow(command: RawCommand, now: RawCommand | undefined, objects: Objects): boolean {
  if (isUndone(command.step)) return false;
  if (now) return isUndone(now.step);
  return command.nodes.some(({ name }) => objects.get('Node', name));
}

/** By its own hands Lull releases a node; from Karpenter it is withdrawn. */
const isUndone = (step: string | undefined): boolean => step === 'released' || step === 'withdrawn';

/** N3: Karpenter had chosen it in the very moment it was withdrawn. */
const isTakenAfterAll = (was: RawCommand | undefined, step: string | undefined): boolean =>
  was?.step === 'withdrawn' && step === 'taken';

function tellChosen(command: RawCommand, turns: readonly RawTurn[], objects: Objects): Told[] {
  return command.nodes.map((node) => ({
    kind: 'NodeChosen',
    ...whose(command, node, { turns, objects }),
    text:
      command.hands === 'karpenter'
        ? `${node.name} is offered to Karpenter: ${command.reason}.`
        : `${node.name} is chosen: ${command.reason}${planned(command, node.name)}.`,
  }));
}

/** Which node an event is about, and whose command. */
const whose = (
  { id, pool, reason }: RawCommand,
  { name, domain }: RawCommand['nodes'][number],
  { turns, objects }: { readonly turns: readonly RawTurn[]; readonly objects: Objects },
) => ({
  node: name,
  pool,
  ...placeIn(
    domain,
    turns.find((turn) => turn.pool === pool),
    objects.get('Node', name),
  ),
  reason,
  command: id,
});

function planned({ nodes, replacements = [] }: RawCommand, node: string): string {
  const others = nodes.map(({ name }) => name).filter((name) => name !== node);
  const together = others.length === 0 ? '' : ` together with ${others.join(', ')}`;
  if (replacements.length === 0) return `${together}, and its pods fit elsewhere`;
  const by = replacements.length > 1 ? ` by ${replacements.length}` : others.length > 0 ? ' by one' : '';
  return `${together}, to be replaced${by} first`;
}

const tellReleased = (command: RawCommand, turns: readonly RawTurn[], objects: Objects): Told[] =>
  command.nodes
    .filter(({ name }) => objects.get('Node', name))
    .map((node) => ({
      kind: 'NodeReleased',
      ...whose(command, node, { turns, objects }),
      text: `${node.name} is released and stays${command.why ? `: ${command.why.replace(/\.$/, '')}` : ''}.`,
    }));

const sameTurn = (a: RawTurn, b: RawTurn): boolean =>
  a.pool === b.pool && a.topologyKey === b.topologyKey && a.domain === b.domain && a.takenAt === b.takenAt;

function tellTaken(turn: RawTurn, before: readonly RawTurn[]): Told[] {
  if (before.some((it) => sameTurn(it, turn))) return [];
  const text = `${called(turn)} of pool ${turn.pool} takes its turn.`;
  return [{ kind: 'TurnTaken', pool: turn.pool, ...placeIn(turn.domain, turn, undefined), text }];
}

function tellPassed(turn: RawTurn, now: readonly RawTurn[]): Told[] {
  if (now.some((it) => sameTurn(it, turn))) return [];
  const next = now.find(({ pool }) => pool === turn.pool);
  const leftBehind = next?.passedOver?.includes(turn.domain ?? null);
  const how = turn.passAsked
    ? 'somebody asked for it'
    : leftBehind
      ? 'what is left there does not move'
      : 'it is done and well';
  const text = `${called(turn)} of pool ${turn.pool} passes its turn: ${how}.`;
  return [{ kind: 'TurnPassed', pool: turn.pool, ...placeIn(turn.domain, turn, undefined), text }];
}

/** `Zone a`; for other keys their last part: `Rack 7`. */
function called({ topologyKey, domain }: RawTurn): string {
  const word = wordFor(topologyKey);
  const noun = `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`;
  return domain === undefined ? `What has no ${word}` : `${noun} ${domain}`;
}

export const wordFor = (topologyKey: string): string => topologyKey.slice(topologyKey.lastIndexOf('/') + 1);

/** The domain it was taken from in its turn; else the zone it stands in. */
function placeIn(
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
