// Settings from defaults, file and --set (M), a catalogue file (F5), and the command `lull settings`.
import { dirname, resolve } from 'node:path';
import type { Fault, Position } from '../cluster/fault.ts';
import { defaultSettings, type Settings, settingKeys } from '../cluster/settings.ts';
import { formatCatalogue, readMetrics } from '../kinds/catalogue.ts';
import { isMap } from '../kinds/read/reader.ts';
import { formatSettings, readSettings } from '../kinds/readSettings.ts';
import { parseText } from '../kinds/text/documents.ts';
import { type ParsedValue, splitPath } from '../kinds/text/path.ts';
import { Failure } from './failure.ts';
import type { SettingsFlags } from './flags.ts';
import { asProblem } from './input.ts';
import type { Io } from './io.ts';
import { type OutputFormat, printAnswer } from './output.ts';
import { readSource } from './sources.ts';
import { alignColumns, bold, count, dim, type Line, plain } from './span.ts';

/** A parsed file, and the position of each of its fields. */
interface ParsedFile {
  readonly value: unknown;
  readonly place: (path: readonly string[]) => Position;
}

const catalogueKey: keyof Settings = 'catalogue';
const cataloguePair = new RegExp(`^\\s*${catalogueKey}\\s*=`);

export function settingsFrom({ settings: file, set = [] }: SettingsFlags): Settings {
  const main = file === undefined ? undefined : readOne(file);
  const catalogue = catalogueFrom(file, main, set);
  // A catalogue named by --set is a file, not a value: it replaces the one of the settings file.
  const pairs = catalogue ? set.filter((pair) => !cataloguePair.test(pair)) : set;
  const given = main?.value ?? {};
  const values = catalogue && isMap(given) ? { ...given, [catalogueKey]: catalogue.value } : given;
  const where = (path: string): Position | undefined => {
    const [key, ...rest] = splitPath(path);
    return key === catalogueKey && catalogue ? catalogue.place(rest) : main?.place(splitPath(path));
  };
  const read = readSettings(values, pairs, where);
  const errors = read.faults.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Failure(errors.map(asProblem).map(listKnownKeys(errors)));
  return read.settings;
}

/** --set names it relative to the working directory, the settings file relative to itself. The last --set wins. */
function catalogueFrom(
  file: string | undefined,
  main: ParsedFile | undefined,
  set: readonly string[],
): ParsedFile | undefined {
  const pair = set.findLast((it) => cataloguePair.test(it));
  if (pair !== undefined) return readCatalogueFile(pair.slice(pair.indexOf('=') + 1).trim());
  const named = isMap(main?.value) ? main.value[catalogueKey] : undefined;
  return typeof named === 'string' && file !== undefined ? readCatalogueFile(resolve(dirname(file), named)) : undefined;
}

/** A list of instance types, or the output of Karpenter's /metrics (F5). */
function readCatalogueFile(file: string): ParsedFile {
  const types = readMetrics(readSource(file).text);
  return types ? { value: formatCatalogue(types), place: () => ({ file, line: 1, column: 1 }) } : readOne(file);
}

function readOne(file: string): ParsedFile {
  const { text } = readSource(file);
  const { values, errors } = parseText(text);
  if (errors.length > 0) throw new Failure(errors.map((error) => ({ file, ...error })));
  const [first, second]: (ParsedValue | undefined)[] = values;
  if (second)
    throw new Failure([{ file, ...second.place([]), message: 'More than one document in this file. Keep one.' }]);
  return { value: first?.value, place: (path) => ({ file, ...(first?.place(path) ?? { line: 1, column: 1 }) }) };
}

/** Adds the list of settings to the error of an unknown key. */
const listKnownKeys =
  (faults: readonly Fault[]) =>
  (problem: ReturnType<typeof asProblem>, index: number): ReturnType<typeof asProblem> => {
    const [key] = splitPath(faults[index]?.path ?? '');
    const known = key === undefined || settingKeys.some((it) => it === key);
    const names = settingKeys.join(', ');
    if (known || problem.message.includes(names)) return problem;
    return { ...problem, message: `${problem.message} Known settings: ${names}.` };
  };

export async function printSettings(flags: SettingsFlags & { readonly output: OutputFormat }, io: Io): Promise<void> {
  const settings = settingsFrom(flags);
  await printAnswer(io, flags.output, {
    value: () => formatSettings(settings),
    lines: () => renderSettings(settings, io.width),
  });
}

function renderSettings(settings: Settings, width: number): Line[] {
  const [values, defaults] = [formatSettings(settings), formatSettings(defaultSettings)];
  const rows = settingKeys.map((key): Line[] => {
    const [value, usual] = [formatValue(values[key]), formatValue(defaults[key])];
    return value === usual ? [[plain(key)], [plain(value)]] : [[bold(key)], [bold(value), dim(`  (default ${usual})`)]];
  });
  return alignColumns(rows, { indent: 0, width });
}

function formatValue(value: unknown): string {
  if (value === '') return 'none';
  if (!Array.isArray(value)) return String(value);
  return value.length === 0 ? 'none' : count(value.length, 'instance type');
}
