// How is a node marked as leaving, and unmarked? By one taint, whose value is the command.
import type { Node, Taint } from '../../cluster/model.ts';
import { taint } from '../../cluster/names.ts';
import { formatInstant, type Instant, parseInstant } from '../../time/instant.ts';
import type { Action } from './action.ts';

const path = '/spec/taints';

const isOurs = ({ key }: Taint): boolean => key === taint.lullDisrupted;

/** The command that a node is marked with. */
export const markOf = ({ taints }: Node): Taint | undefined => taints.find(isOurs);

/** When a node was marked; where the mark does not say, when the node came. */
export const markedAt = (node: Node): Instant => parseInstant(markOf(node)?.timeAdded ?? '') ?? node.createdAt;

/** Lists cannot be patched by key: the whole list is tested, so that a taint set meanwhile by another is not lost. */
export function addTaint({ name, taints }: Node, command: string, now: Instant): Action {
  const ours = { key: taint.lullDisrupted, value: command, effect: 'NoSchedule', timeAdded: formatInstant(now) };
  const test = { op: 'test', path, value: taints.length === 0 ? null : taints } as const;
  const add = { op: 'add', path, value: [...taints.filter((it) => !isOurs(it)), ours] } as const;
  return { verb: 'patch', kind: 'Node', name, patch: [test, add], command };
}

export function removeTaint({ name, taints }: Node, command?: string): Action {
  const others = taints.filter((it) => !isOurs(it));
  const test = { op: 'test', path, value: taints } as const;
  const rest =
    others.length === 0 ? ({ op: 'remove', path } as const) : ({ op: 'replace', path, value: others } as const);
  return { verb: 'patch', kind: 'Node', name, patch: [test, rest], ...(command !== undefined && { command }) };
}
