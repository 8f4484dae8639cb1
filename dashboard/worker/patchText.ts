// Kubectl commands for a policy change: patches for existing objects, apply for new ones, delete for removed ones.
import type { Json } from '../../src/kinds/read/reader.ts';
import { writeYaml } from '../../src/kinds/text/writeYaml.ts';
import { asWritten, keyOf, nameOf } from './policyYaml.ts';

const resources: Readonly<Record<string, string>> = {
  NodePool: 'nodepools.karpenter.sh',
  MaintenanceWindow: 'maintenancewindows.karpenter.sh',
  PodDisruptionSchedule: 'poddisruptionschedules.karpenter.sh',
};

export function patchText(originals: ReadonlyMap<string, Json>, edited: readonly Json[]): string {
  const kept = new Set(edited.map(keyOf));
  const parts = [
    ...edited.flatMap((object) => {
      const original = originals.get(keyOf(object));
      if (!original) return [`kubectl apply -f - <<'EOF'\n${writeYaml(object).trimEnd()}\nEOF`];
      const patch = mergePatch(asWritten(original), object);
      return patch === undefined
        ? []
        : [`kubectl patch ${nameIn(object)} --type merge -p ${quoted(JSON.stringify(patch))}`];
    }),
    ...[...originals.values()].filter((it) => !kept.has(keyOf(it))).map((it) => `kubectl delete ${nameIn(it)}`),
  ];
  return parts.length === 0 ? '' : `${parts.join('\n\n')}\n`;
}

const nameIn = (object: Json): string =>
  `${resources[String(object.kind)] ?? String(object.kind)} ${quoted(nameOf(object))}`;

/** Quotes text for a shell if needed. */
const quoted = (text: string): string => (/^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const isMap = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A merge patch (RFC 7386); undefined = no difference. */
export function mergePatch(before: unknown, after: unknown): unknown {
  if (!isMap(before) || !isMap(after)) return JSON.stringify(before) === JSON.stringify(after) ? undefined : after;
  const changes = [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key): [string, unknown][] => {
    if (!(key in after) || after[key] === undefined) return before[key] === undefined ? [] : [[key, null]];
    if (!(key in before)) return [[key, after[key]]];
    const inner = mergePatch(before[key], after[key]);
    return inner === undefined ? [] : [[key, inner]];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}
