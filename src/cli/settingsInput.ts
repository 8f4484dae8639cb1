// Which settings are in force? Defaults, then the file, then --set (M). A catalogue may stand in a file of its own (F5).
import { dirname, resolve } from 'node:path';
import type { Fault, Position } from '../cluster/fault.ts';
import type { Settings } from '../cluster/settings.ts';
import { formatCatalogue } from '../kinds/catalogue.ts';
import { readMetrics } from '../kinds/karpenterMetrics.ts';
import type { Parsed } from '../kinds/parsed.ts';
import { splitPath } from '../kinds/path.ts';
import { isMap } from '../kinds/reader.ts';
import { readSettings, settingKeys } from '../kinds/settings.ts';
import { parseText } from '../kinds/text.ts';
import { Failure } from './failure.ts';
import { asProblem } from './input.ts';
import { readSource } from './sources.ts';

export interface SettingsFlags {
  readonly settings?: string;
  readonly set?: readonly string[];
}

/** A value and where its fields stand. */
interface Text {
  readonly value: unknown;
  readonly place: (path: readonly string[]) => Position;
}

const catalogueKey: keyof Settings = 'catalogue';
const cataloguePair = new RegExp(`^\\s*${catalogueKey}\\s*=`);

export function settingsFrom({ settings: file, set = [] }: SettingsFlags): Settings {
  const main = file === undefined ? undefined : readOne(file);
  const catalogue = catalogueFrom(file, main, set);
  // A list cannot be said in a pair, so it takes the place of the one in the file.
  const pairs = catalogue ? set.filter((pair) => !cataloguePair.test(pair)) : set;
  const given = main?.value ?? {};
  const values = catalogue && isMap(given) ? { ...given, [catalogueKey]: catalogue.value } : given;
  const where = (path: string): Position | undefined => {
    const [key, ...rest] = splitPath(path);
    return key === catalogueKey && catalogue ? catalogue.place(rest) : main?.place(splitPath(path));
  };
  const read = readSettings(values, pairs, where);
  const errors = read.faults.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Failure(errors.map(asProblem).map(nameTheKeys(errors)));
  return read.settings;
}

/** The last one named: by a pair from here, by the file from beside it. */
function catalogueFrom(file: string | undefined, main: Text | undefined, set: readonly string[]): Text | undefined {
  const pair = set.findLast((it) => cataloguePair.test(it));
  if (pair !== undefined) return readCatalogueFile(pair.slice(pair.indexOf('=') + 1).trim());
  const named = isMap(main?.value) ? main.value[catalogueKey] : undefined;
  return typeof named === 'string' && file !== undefined ? readCatalogueFile(resolve(dirname(file), named)) : undefined;
}

/** A list, or what Karpenter prints at /metrics (F5). */
function readCatalogueFile(file: string): Text {
  const types = readMetrics(readSource(file).text);
  return types ? { value: formatCatalogue(types), place: () => ({ file, line: 1, column: 1 }) } : readOne(file);
}

function readOne(file: string): Text {
  const { text } = readSource(file);
  const { values, errors } = parseText(text);
  if (errors.length > 0) throw new Failure(errors.map((error) => ({ file, ...error })));
  const [first, second]: (Parsed | undefined)[] = values;
  if (second)
    throw new Failure([{ file, ...second.place([]), message: 'There is more than one document here. Keep one.' }]);
  return { value: first?.value, place: (path) => ({ file, ...(first?.place(path) ?? { line: 1, column: 1 }) }) };
}

/** Who misspells a key wants to see those there are, whether or not one of them is near. */
const nameTheKeys =
  (faults: readonly Fault[]) =>
  (problem: ReturnType<typeof asProblem>, index: number): ReturnType<typeof asProblem> => {
    const [key] = splitPath(faults[index]?.path ?? '');
    const known = key === undefined || settingKeys.some((it) => it === key);
    const names = settingKeys.join(', ');
    if (known || problem.message.includes(names)) return problem;
    return { ...problem, message: `${problem.message} The settings are ${names}.` };
  };
