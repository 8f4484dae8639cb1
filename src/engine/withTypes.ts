// The settings a round decides with: the catalogue, and beside it the instance types that Karpenter's own metrics name (F5).
import type { InstanceType, Settings } from '../cluster/settings.ts';

const remembered = new WeakMap<readonly InstanceType[], WeakMap<Settings, Settings>>();

/** What the catalogue says of a type stands before what was read. The same object for the same two, so that answers are remembered. */
export function withTypes(settings: Settings, types: readonly InstanceType[] | undefined): Settings {
  if (!types || types.length === 0) return settings;
  const known = remembered.get(types) ?? new WeakMap<Settings, Settings>();
  remembered.set(types, known);
  const made = known.get(settings) ?? { ...settings, catalogue: mergedOf(settings.catalogue, types) };
  known.set(settings, made);
  return made;
}

function mergedOf(own: readonly InstanceType[], types: readonly InstanceType[]): readonly InstanceType[] {
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...types.filter(({ name }) => !names.has(name))];
}
