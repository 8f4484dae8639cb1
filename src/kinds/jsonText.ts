// What does this JSON say, and on which line does a field stand? Bulk snapshots are JSON: parsed natively, places found only when asked.
import { LineCounter } from 'yaml';
import { closingQuote, countKeys, findBreak, findTwin, skipValue, space } from './jsonScan.ts';
import {
  maxDepth,
  mostErrors,
  type OpenedText,
  type Parsed,
  type ParsedText,
  type Place,
  standsTwice,
  type TextError,
  tooDeep,
} from './parsed.ts';

/** One value or one value a line; undefined where the text is not JSON at all. */
export function parseJsonText(text: string): ParsedText | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  const places = jsonPlaces(text);
  const result: ParsedText = { values: [], errors: [] };
  try {
    accept({ text, from: 0, value: JSON.parse(text) }, places, result);
    return result;
  } catch (error) {
    return parseLines(text, places) ?? (isLongJson(text) ? brokenJson(text, places, error) : undefined);
  }
}

function parseLines(text: string, places: Places): ParsedText | undefined {
  if (!isLines(text)) return undefined;
  const errors: TextError[] = [];
  return { values: [...eachLine(text, places, errors)], errors };
}

/** Line by line, so that nobody has to hold all of a large snapshot at once; errors are there at its end. Undefined where it is no NDJSON. */
export function openJsonLines(text: string): OpenedText | undefined {
  // With nothing behind its first line it is one value.
  const first = /^\s*\{[^\n]*\n\s*\S/.test(text) && isLines(text);
  if (!first) return undefined;
  const errors: TextError[] = [];
  return { values: eachLine(text, jsonPlaces(text), errors), errors };
}

/** NDJSON. Only where the first line is an object by itself: else the text is YAML in braces, or broken. */
function isLines(text: string): boolean {
  // JSON between the separators of YAML is YAML's to read.
  if (text.includes('\n---')) return false;
  try {
    // Not a dot: U+2028 may stand in a string, and ends no line here.
    JSON.parse(/\S[^\n]*/.exec(text)?.[0] ?? '');
    return true;
  } catch {
    return false;
  }
}

function* eachLine(text: string, places: Places, errors: TextError[]): Generator<Parsed, void> {
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
      const message = `This line is no JSON (${(error as Error).message}). Write one whole object on each line.`;
      errors.push({ ...places.at(from, []), message });
    }
    yield* accepted.values;
  }
}

/** A text that is one value of JSON. */
interface Written {
  readonly text: string;
  /** Where it begins in the whole. */
  readonly from: number;
  readonly value: unknown;
}

function accept(written: Written, places: Places, { values, errors }: ParsedText): void {
  const { from, value } = written;
  const error = faultIn(written, places);
  if (error) errors.push(error);
  else values.push({ value, place: (path) => places.at(from, path) } satisfies Parsed);
}

/** What JSON.parse takes in silence. Of a key that stands twice it would keep the last. */
function faultIn({ text, from, value }: Written, places: Places): TextError | undefined {
  // What comes out as it went in holds nothing twice. So it is with nearly all that a program wrote, and it is quickly seen.
  if (isShallow(text) && JSON.stringify(value) === text) return undefined;
  const fields = countFields(value, maxDepth);
  if (fields === undefined) return { ...places.at(from, []), message: tooDeep };
  const twin = fields < countKeys(text) ? findTwin(text) : undefined;
  return twin && { ...places.of(from + twin.offset), message: standsTwice(twin.key) };
}

/** Too few brackets to be too deep. */
function isShallow(text: string): boolean {
  let brackets = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0 && brackets <= maxDepth; at = text.indexOf(bracket, at + 1))
      brackets++;
  }
  return brackets <= maxDepth;
}

/** How many fields the maps in a value have; undefined where it is too deep. */
function countFields(value: unknown, levels: number): number | undefined {
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) return undefined;
  let count = 0;
  const isMap = !Array.isArray(value);
  for (const key in value) {
    const inside = countFields((value as Record<string, unknown>)[key], levels - 1);
    if (inside === undefined) return undefined;
    count += inside + (isMap ? 1 : 0);
  }
  return count;
}

/** YAML is slow to find out that it is none either, and gives worse advice: shorter ones may be YAML in braces. */
const longJson = 100_000;
const isLongJson = (text: string): boolean => text.length > longJson && /^\s*[{[]\s*["{[]/.test(text);

function brokenJson(text: string, places: Places, error: unknown): ParsedText {
  const message = `This is no JSON (${(error as Error).message}). Check that it is whole, and the commas, quotes and brackets here.`;
  return { values: [], errors: [{ ...places.of(findBreak(text)), message }] };
}

interface Places {
  /** The place of a path in the value that begins at an offset; of its nearest ancestor where there is none. */
  at(from: number, path: readonly string[]): Place;
  of(offset: number): Place;
}

interface Member {
  readonly key: number;
  readonly value: number;
}

/** What has to be passed over to find a member is passed over once, if it is longer. */
const longWay = 1000;

/** A scanner rather than a second parser: a snapshot of 100,000 pods must be able to say the line of one annotation. */
function jsonPlaces(text: string): Places {
  const elementsAt = new Map<number, readonly number[]>();
  const membersAt = new Map<number, ReadonlyMap<string, Member>>();
  let lines: LineCounter | undefined;

  const elements = (array: number): readonly number[] => {
    const found = elementsAt.get(array) ?? readElements(text, array);
    elementsAt.set(array, found);
    return found;
  };

  const member = (object: number, key: string): Member | undefined => {
    const known = membersAt.get(object);
    if (known) return known.get(key);
    const found = findMember(text, object, key);
    if (found && found.key - object > longWay) membersAt.set(object, readMembers(text, object));
    return found;
  };

  const of = (offset: number): Place => {
    lines ??= countLines(text);
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };

  const at = (from: number, path: readonly string[]): Place => {
    let value = space(text, from);
    let place = value;
    for (const key of path) {
      const child = text[value] === '[' ? elements(value)[Number(key)] : undefined;
      const field = text[value] === '{' ? member(value, key) : undefined;
      if (child === undefined && field === undefined) break;
      place = child ?? field?.key ?? place;
      value = child ?? field?.value ?? value;
    }
    return of(place);
  };
  return { at, of };
}

function readElements(text: string, array: number): number[] {
  const found: number[] = [];
  for (let at = space(text, array + 1); at < text.length && text[at] !== ']'; at = nextEntry(text, at)) found.push(at);
  return found;
}

function findMember(text: string, object: number, wanted: string): Member | undefined {
  for (const [key, member] of membersOf(text, object)) if (key === wanted) return member;
  return undefined;
}

const readMembers = (text: string, object: number): ReadonlyMap<string, Member> => new Map(membersOf(text, object));

function* membersOf(text: string, object: number): Generator<[string, Member], void> {
  for (let at = space(text, object + 1); text[at] === '"'; ) {
    const end = closingQuote(text, at) + 1;
    const value = space(text, space(text, end) + 1);
    yield [JSON.parse(text.slice(at, end)) as string, { key: at, value }];
    at = nextEntry(text, value);
  }
}

/** From a value to the one after the comma, or to the closing bracket. */
function nextEntry(text: string, value: number): number {
  const at = space(text, skipValue(text, value));
  return text[at] === ',' ? space(text, at + 1) : at;
}

function countLines(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  return lines;
}
