// What do the rules about requests look at? The objects as they are, the commands, and the settings.
import type { Settings } from '../../cluster/settings.ts';
import type { Instant } from '../../time/instant.ts';
import type { Objects } from '../objects.ts';
import type { Commands } from './commands.ts';
import { hostOf } from './host.ts';
import type { RawCommand } from './ledgerRecord.ts';
import { isForced, isPressed, poolObject } from './written.ts';

export interface Surroundings {
  readonly objects: Pick<Objects, 'get' | 'list' | 'podsOn'>;
  readonly commands: Commands;
  readonly settings: Settings;
}

/** A2: the cloud takes its node whatever anybody does, so that nothing is waited for and nothing refuses it. */
export function isTakenAnyway(command: RawCommand, { objects, settings }: Surroundings, at?: Instant): boolean {
  if (isForced(command.reason, settings)) return true;
  return command.nodes.some(({ name, claim }) => {
    const node = objects.get('Node', name);
    const host = node && hostOf(node, claim === undefined ? undefined : objects.get('NodeClaim', claim));
    if (!host) return false;
    const taken = { command, reason: command.reason, host, at: at ?? command.stepAt };
    return isPressed(taken, settings, poolObject(host, objects));
  });
}
