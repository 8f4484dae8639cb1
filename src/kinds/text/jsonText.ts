// Parses JSON and JSON lines with JSON.parse; the position of a field is computed only on request.
import { LineCounter } from 'yaml';
import { countKeys, findDuplicate, findSyntaxError, type JsonEntry, jsonEntries, space } from './jsonScan.ts';
import {
  duplicateKey,
  type LineColumn,
  maxDepth,
  mostErrors,
  type ParsedText,
  type ParsedValue,
  type StreamedText,
  type TextError,
  tooDeep,
} from './path.ts';

/** Parses one value, or one value per line; undefined if the text is not JSON. */
export function parseJsonText(text: string): ParsedText | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  const places = positionsIn(text);
  const result: ParsedText = { values: [], errors: [] };
  try {
    accept({ text, from: 0, value: JSON.parse(text) }, places, result);
    return result;
  } catch (error) {
    return parseLines(text, places) ?? (isLongJson(text) ? brokenJson(text, places, error) : undefined);
  }
}

function parseLines(text: string, places: JsonPositions): ParsedText | undefined {
  if (!isLines(text)) return undefined;
  const errors: TextError[] = [];
  return { values: [...eachLine(text, places, errors)], errors };
}

/** Reads NDJSON line by line, so that a large snapshot need not be in memory as a whole; errors are complete at the end. Undefined if it is not NDJSON. */
export function openJsonLines(text: string): StreamedText | undefined {
  // A single line is one value.
  const first = /^\s*\{[^\n]*\n\s*\S/.test(text) && isLines(text);
  if (!first) return undefined;
  const errors: TextError[] = [];
  return { values: eachLine(text, positionsIn(text), errors), errors };
}

/** Whether the first line is a JSON value by itself. Otherwise the text is flow-style YAML, or invalid. */
function isLines(text: string): boolean {
  // JSON documents separated by `---` are YAML.
  if (text.includes('\n---')) return false;
  try {
    // [^\n] instead of a dot: U+2028 may occur in a string and does not end a line.
    JSON.parse(/\S[^\n]*/.exec(text)?.[0] ?? '');
    return true;
  } catch {
    return false;
  }
}

function* eachLine(text: string, places: JsonPositions, errors: TextError[]): Generator<ParsedValue, void> {
  for (let start = 0; start < text.length && errors.length <= mostErrors; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    const from = start;
    start = end + 1;
    if (line.trim() === '') continue;
    const accepted: ParsedText = { values: [], errors };
    try {
      accept({ text: line, from, value: JSON.parse(line) }, places, accepted);
    } catch (error) {
      const message = `This line is not valid JSON (${messageOf(error)}). Write one complete object per line.`;
      errors.push({ ...places.at(from, []), message });
    }
    yield* accepted.values;
  }
}

/** The text of one JSON value. */
interface JsonText {
  readonly text: string;
  /** Its offset in the whole text. */
  readonly from: number;
  readonly value: unknown;
}

function accept(written: JsonText, places: JsonPositions, { values, errors }: ParsedText): void {
  const { from, value } = written;
  const error = faultIn(written, places);
  if (error) errors.push(error);
  else values.push({ value, place: (path) => places.at(from, path) } satisfies ParsedValue);
}

/** Finds what JSON.parse accepts silently: duplicate keys, of which it keeps the last, and too deep nesting. */
function faultIn({ text, from, value }: JsonText, places: JsonPositions): TextError | undefined {
  // A text that stringify reproduces has no duplicate keys. This fast check covers nearly all machine-written JSON.
  if (isShallow(text) && JSON.stringify(value) === text) return undefined;
  const fields = countFields(value, maxDepth);
  if (fields === undefined) return { ...places.at(from, []), message: tooDeep };
  const duplicate = fields < countKeys(text) ? findDuplicate(text) : undefined;
  return duplicate && { ...places.of(from + duplicate.offset), message: duplicateKey(duplicate.key) };
}

/** Whether there are too few brackets to nest too deeply. */
function isShallow(text: string): boolean {
  let brackets = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0 && brackets <= maxDepth; at = text.indexOf(bracket, at + 1))
      brackets++;
  }
  return brackets <= maxDepth;
}

/** How many fields all maps in a value have; undefined if it is nested too deeply. */
function countFields(value: unknown, levels: number): number | undefined {
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) return undefined;
  const inside: unknown[] = Object.values(value);
  let count = Array.isArray(value) ? 0 : inside.length;
  for (const each of inside) {
    const fields = countFields(each, levels - 1);
    if (fields === undefined) return undefined;
    count += fields;
  }
  return count;
}

/** A shorter text may be flow-style YAML. For a longer one, the YAML parser is slow and gives worse error messages. */
const longJson = 100_000;
const isLongJson = (text: string): boolean => text.length > longJson && /^\s*[{[]\s*["{[]/.test(text);

function brokenJson(text: string, places: JsonPositions, error: unknown): ParsedText {
  const message = `This is not valid JSON (${messageOf(error)}). Check that it is complete, and check the commas, quotes and brackets here.`;
  return { values: [], errors: [{ ...places.of(findSyntaxError(text)), message }] };
}

interface JsonPositions {
  /** The position of a path in the value at an offset, or of its nearest existing ancestor. */
  at(from: number, path: readonly string[]): LineColumn;
  of(offset: number): LineColumn;
}

/** Indexes the entries of an object if finding one means scanning more than this many characters. */
const longScan = 1000;

/** A scanner instead of a second parser, to find the line of one annotation in a snapshot of 100,000 pods. */
function positionsIn(text: string): JsonPositions {
  const entriesAt = new Map<number, ReadonlyMap<string, JsonEntry>>();
  let lines: LineCounter | undefined;

  const entryIn = (start: number, key: string): JsonEntry | undefined => {
    const known = entriesAt.get(start);
    if (known) return known.get(key);
    const found = findEntry(text, start, key);
    if (found && found.from - start > longScan)
      entriesAt.set(start, new Map(Array.from(jsonEntries(text, start), (entry) => [entry.key, entry])));
    return found;
  };

  const of = (offset: number): LineColumn => {
    lines ??= countLines(text);
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };

  const at = (from: number, path: readonly string[]): LineColumn => {
    let value = space(text, from);
    let place = value;
    for (const key of path) {
      const entry = text[value] === '[' || text[value] === '{' ? entryIn(value, key) : undefined;
      if (!entry) break;
      place = entry.from;
      value = entry.value;
    }
    return of(place);
  };
  return { at, of };
}

function findEntry(text: string, start: number, key: string): JsonEntry | undefined {
  for (const entry of jsonEntries(text, start)) if (entry.key === key) return entry;
  return undefined;
}

function countLines(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  return lines;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
