// What is written where nothing stood before? Values, and fields that were cut out elsewhere.
import { type Cut, saying, shifted } from './cut.ts';
import { isListPatch, type Patch } from './patch.ts';
import { type Layout, type Printed, printBlock, printFlow, printKey } from './print.ts';

export type Fresh =
  | { readonly value: unknown }
  | { readonly cut: Cut }
  | { readonly map: readonly (readonly [string, Fresh])[] }
  | { readonly list: readonly Fresh[] };

export function freshOf(patch: Patch, fetch: (path: readonly string[]) => Cut | undefined): Fresh {
  if (patch.put && 'value' in patch.put) return patch.put;
  if (patch.put) {
    const cut = fetch(patch.put.from);
    if (!cut) return { value: null };
    return { cut: 'as' in patch.put ? saying(patch.put.as, cut) : cut };
  }
  const below = [...patch.under].map(([key, child]) => [key, freshOf(child, fetch)] as const);
  return isListPatch(patch) ? { list: below.map(([, fresh]) => fresh) } : { map: below };
}

/** The lines of an entry in a block; `lead` is its key with the colon, or a dash. */
export function blockLines(lead: string, fresh: Fresh, indent: number, layout: Layout): string[] {
  const { above, head, rest } = behind(lead === '-' ? 'dash' : 'colon', fresh, layout);
  return [...above, `${lead}${head}`, ...rest].map((line) => shifted(line, indent));
}

/** What stands above, right behind, and below a colon or a dash in the first column. */
export function behind(
  kind: 'colon' | 'dash',
  fresh: Fresh,
  layout: Layout,
): Printed & { readonly above: readonly string[] } {
  if ('value' in fresh) return { above: [], ...printBlock(fresh.value, kind, layout) };
  if ('cut' in fresh) {
    const { block, above, comments, flow, value } = fresh.cut;
    if (block?.behind === kind) return { above, ...block };
    const printed = flow === undefined ? printBlock(value, kind, layout) : { head: ` ${flow}`, rest: [] };
    return { above: [...above, ...comments], ...printed };
  }
  const deeper = kind === 'dash' ? 2 : 'map' in fresh ? layout.step : layout.listStep;
  const lines =
    'map' in fresh
      ? fresh.map.flatMap(([key, each]) => blockLines(`${printKey(key, false)}:`, each, deeper, layout))
      : fresh.list.flatMap((each) => blockLines('-', each, deeper, layout));
  if (kind === 'colon') return { above: [], head: '', rest: lines };
  return { above: [], head: (lines[0] ?? '').slice(1), rest: lines.slice(1) };
}

/** A plain text with a comma means something else there. */
const safeInBrackets = /^["'[{]|^[\w.%/-]+$/;

export function flowText(fresh: Fresh): string {
  if ('value' in fresh) return printFlow(fresh.value);
  if ('cut' in fresh) {
    const { flow, value } = fresh.cut;
    return flow !== undefined && safeInBrackets.test(flow) ? flow : printFlow(value);
  }
  if ('list' in fresh) return `[${fresh.list.map(flowText).join(', ')}]`;
  return `{${fresh.map.map(([key, each]) => `${printKey(key, false)}: ${flowText(each)}`).join(', ')}}`;
}

export function plainOf(fresh: Fresh): unknown {
  if ('value' in fresh) return fresh.value;
  if ('cut' in fresh) return fresh.cut.value;
  if ('list' in fresh) return fresh.list.map(plainOf);
  return Object.fromEntries(fresh.map.map(([key, each]) => [key, plainOf(each)]));
}

/** Comments of what is written anew in brackets, where they cannot stand. */
export function homeless(fresh: Fresh): readonly string[] {
  if ('value' in fresh) return [];
  if ('cut' in fresh) return [...fresh.cut.above, ...fresh.cut.comments];
  return ('list' in fresh ? fresh.list : fresh.map.map(([, each]) => each)).flatMap(homeless);
}
