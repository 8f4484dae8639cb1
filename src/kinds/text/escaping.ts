// Escapes all output, so that no text from a cluster can control a terminal or a CI system (K8).

/**
 * Everything but visible text: controls, direction marks, zero-width characters, lone surrogates and unassigned code points.
 * Also default-ignorable characters: a CI system may skip them when it looks for its commands.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;
/** The same, without line breaks. */
const invisibleInLine = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;

/** Commands that CI systems find anywhere in a line: `##[` (GitHub, Azure), `##vso[` (Azure), `##teamcity[`. */
const commandAnywhere = /##(?=\p{L}*\[)/gu;
/** GitHub's `::name::` at the start of a line, after spaces and colours. */
const commandAtStart = /^((?:\s|\p{Cc}\[\d+m)*):(?=:)/u;

/** A fast check: most texts need no escaping. */
const isHarmless = (text: string): boolean => !/[^\x20-\x7e\n]|##|::/.test(text);

/** Writes controls as `\x1b`, `\n` or `\u{202e}`, so that no name can change colours or hide text. */
export const escapeControls = (text: string): string =>
  isHarmless(text) && !text.includes('\n') ? text : text.replace(invisible, visibly);

function visibly(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (char === '\n') return '\\n';
  if (char === '\t') return '\\t';
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/** Escapes text output. Matches of `own`, such as Lull's colours, are kept. */
export function escapeText(text: string, own?: RegExp): string {
  if (isHarmless(text)) return text;
  return text
    .split('\n')
    .map((line) => escapeLine(line, own))
    .join('\n');
}

function escapeLine(line: string, own: RegExp | undefined): string {
  if (isHarmless(line)) return line;
  const shown = own ? escapeAround(line, own) : escapeControls(line);
  return shown.replace(commandAnywhere, '\\x23#').replace(commandAtStart, '$1\\x3a');
}

function escapeAround(line: string, own: RegExp): string {
  let [shown, from] = ['', 0];
  for (const { 0: kept, index } of line.matchAll(own)) {
    shown += escapeControls(line.slice(from, index)) + kept;
    from = index + kept.length;
  }
  return shown + escapeControls(line.slice(from));
}

/** Escapes JSON; it parses to the same value, since such characters occur only in strings. */
export const escapeJson = (json: string): string =>
  isHarmless(json)
    ? json
    : json.replace(invisibleInLine, (char) => [...unitsOf(char)].join('')).replace(commandAnywhere, '\\u0023#');

function* unitsOf(char: string): Generator<string> {
  for (let at = 0; at < char.length; at++) yield `\\u${hex(char.charCodeAt(at), 4)}`;
}

/** Escapes YAML; it parses to the same value if every string that `needsQuotes` is in double quotes on one line. */
export const escapeYaml = (yaml: string): string =>
  isHarmless(yaml)
    ? yaml
    : yaml
        .replace(invisibleInLine, (char) => {
          const code = char.codePointAt(0) ?? 0;
          return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
        })
        .replace(commandAnywhere, '\\x23#');

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

/** Whether a string must be in double quotes in YAML. */
export const needsQuotes = (text: string): boolean => !isHarmless(text) && escapeText(text) !== text;

/** Escapes GitHub annotations, one per line, so that none contains another command. */
export const escapeGithub = (text: string): string =>
  text
    .split('\n')
    .map((line) => {
      const [own = ''] = /^::(?:error|warning|notice) (?:file=[^:]*,)?title=[a-z-]+::/.exec(line) ?? [];
      return escapeOneLine(own) + (own === '' ? escapeText(line) : escapeOneLine(line.slice(own.length)));
    })
    .join('\n');

/** Within a line, only commands that are found anywhere matter. */
const escapeOneLine = (text: string): string => escapeControls(text).replace(commandAnywhere, '\\x23#');

/** The first line that needs escaping; undefined if none does. Tabs, CRLF and a byte order mark are allowed in files. */
export function unwritableLine(text: string): number | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const at = lines.findIndex((line) => needsQuotes(line.replaceAll('\t', ' ')));
  return at < 0 ? undefined : at + 1;
}
