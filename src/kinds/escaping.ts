// The escaping of every text that leaves the program: nothing that a terminal or a CI system would obey is written as it is (K8).

/**
 * Controls, direction marks, what takes no room, lone surrogates, and what is not assigned: anything but visible text.
 * Also what is merely ignored when texts are compared: a CI system finds its commands by such a comparison.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;
/** The same but for line breaks. */
const invisibleInLine = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;

/** Commands that are found anywhere in a line: `##[` (GitHub, Azure), `##vso[` (Azure), `##teamcity[`. */
const commandAnywhere = /##(?=\p{L}*\[)/gu;
/** GitHub's `::name::`, at the beginning of a line, after any space and colour. */
const commandAtStart = /^((?:\s|\p{Cc}\[\d+m)*):(?=:)/u;

/** Most texts need nothing, and this finds it out quickly. */
const isHarmless = (text: string): boolean => !/[^\x20-\x7e\n]|##|::/.test(text);

/** `\x1b`, `\n`, `\u{202e}`: shown as they would be written, so that no name can paint or hide anything. */
export const escapeControls = (text: string): string => text.replace(invisible, visibly);

function visibly(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (char === '\n') return '\\n';
  if (char === '\t') return '\\t';
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/** Lines for people. What matches `own`, such as our colours, stays. */
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

/** JSON that is read as the same value: such characters are in its strings alone. */
export const escapeJson = (json: string): string =>
  isHarmless(json)
    ? json
    : json.replace(invisibleInLine, (char) => [...unitsOf(char)].join('')).replace(commandAnywhere, '\\u0023#');

function* unitsOf(char: string): Generator<string> {
  for (let at = 0; at < char.length; at++) yield `\\u${hex(char.charCodeAt(at), 4)}`;
}

/** YAML that is read as the same value, where every text that `needsQuotes` is in double quotes and on one line. */
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

/** Whether a text can be written in YAML without double quotes. */
export const needsQuotes = (text: string): boolean => !isHarmless(text) && escapeText(text) !== text;

/** GitHub's own commands that annotate, one a line; nothing in them begins another. */
export const escapeGithub = (text: string): string =>
  text
    .split('\n')
    .map((line) => {
      const [own = ''] = /^::(?:error|warning|notice) (?:file=[^:]*,)?title=[a-z-]+::/.exec(line) ?? [];
      return escapeOneLine(own) + (own === '' ? escapeText(line) : escapeOneLine(line.slice(own.length)));
    })
    .join('\n');

/** Within a line: only what is found anywhere. */
const escapeOneLine = (text: string): string => escapeControls(text).replace(commandAnywhere, '\\x23#');

/** The first line that cannot be written as it is; undefined = all can. Tabs, CRLF and a mark at the beginning are usual in files. */
export function unwritableLine(text: string): number | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const at = lines.findIndex((line) => needsQuotes(line.replaceAll('\t', ' ')));
  return at < 0 ? undefined : at + 1;
}
