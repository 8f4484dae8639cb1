// Impersonation: whom the requests of a kubeconfig's user act as, and the headers that say so.
import { isMap, type Json } from '../kinds/reader.ts';

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

const fields = ['as', 'as-uid', 'as-groups', 'as-user-extra'];

/** The rules of client-go; besides, a misspelt field is an error, for it would act with more rights than were meant. Throws in words. */
export function impersonationIn(user: Json): Impersonation | undefined {
  const odd = Object.keys(user).find((key) => /^(as|impersonate)/i.test(key) && !fields.includes(key));
  if (odd !== undefined)
    throw new Error(
      `The user's field ${JSON.stringify(odd)} is not known. Impersonation is written ${fields.join(', ')}.`,
    );
  const as = textOf(user.as, 'as');
  const uid = textOf(user['as-uid'], 'as-uid');
  const groups = textsOf(user['as-groups'], 'as-groups');
  const extra = extraOf(user['as-user-extra']);
  if (as !== undefined) return { user: as, ...(uid !== undefined && { uid }), groups, extra };
  if (uid !== undefined || groups.length > 0 || Object.keys(extra).length > 0)
    throw new Error(
      'The user asks for as-uid, as-groups or as-user-extra without a user to act as. Write `as: NAME` beside them.',
    );
  return undefined;
}

function textOf(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string')
    throw new Error(`The user's ${field} is not text: ${JSON.stringify(value)}. Put it in quotes.`);
  // A header ends at a line break, and is read without the spaces around it.
  if (/[\p{Cc}\p{Cs}]|^\s|\s$/u.test(value))
    throw new Error(
      `The user's ${field} cannot be sent as a header: ${JSON.stringify(value)}. Write it without line breaks, and without spaces around it.`,
    );
  return value;
}

function textsOf(value: unknown, field: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value))
    throw new Error(`The user's ${field} is not a list: ${JSON.stringify(value)}. Write [a, b].`);
  return value.map((each: unknown) => {
    const text = textOf(each, field);
    if (text === undefined) throw new Error(`The user's ${field} has an empty entry. Remove it, or put a name there.`);
    return text;
  });
}

function extraOf(value: unknown): Impersonation['extra'] {
  if (value === undefined || value === null) return {};
  if (!isMap(value)) throw new Error("The user's as-user-extra is not a map of lists. Write {key: [value]}.");
  const entries = Object.entries(value).map(
    ([key, values]) => [key, textsOf(values, `as-user-extra ${JSON.stringify(key)}`)] as const,
  );
  return Object.fromEntries(entries.filter(([, values]) => values.length > 0));
}

export function impersonationHeaders({ user, uid, groups, extra }: Impersonation): Record<string, string | string[]> {
  return {
    'Impersonate-User': asBytes(user),
    ...(uid !== undefined && { 'Impersonate-Uid': asBytes(uid) }),
    ...(groups.length > 0 && { 'Impersonate-Group': groups.map(asBytes) }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`Impersonate-Extra-${escapeKey(key)}`, values.map(asBytes)]),
    ),
  };
}

/** Node writes one byte a character; the API server reads UTF-8. */
const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Every byte that is not legal in the name of a header, and the percent sign itself, as %XX: what client-go writes and the server reads. */
const escapeKey = (key: string): string =>
  [...Buffer.from(key, 'utf8')]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
