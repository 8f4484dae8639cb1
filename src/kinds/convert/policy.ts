// What is the older name of a consolidation policy called today?
import { isMap } from '../reader.ts';
import type { Draft } from './draft.ts';

export function respellPolicy(draft: Draft, holder: unknown, path: string): void {
  if (!isMap(holder) || holder.consolidationPolicy !== 'WhenUnderutilized') return;
  const at = `${path}.consolidationPolicy`;
  draft.set(at, 'WhenEmptyOrUnderutilized');
  draft.say(at, 'WhenUnderutilized is now called WhenEmptyOrUnderutilized');
}
