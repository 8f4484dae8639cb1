// How an API server is reached, as whom, and whom its requests act as (impersonation).
import { isMap, type Json } from '../kinds/read/reader.ts';

export interface ClusterAccess {
  /** With its path, if it has one: some servers are behind others. */
  readonly server: URL;
  readonly tls: {
    readonly ca?: string;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
  /** The impersonated user of every request; absent = the user of the credentials. */
  readonly actsAs?: Impersonation;
  /** Called before every request; the implementation caches. */
  identify(): Promise<Identity>;
  /** The server answered 401: drop the cached credentials. False = there are no newer ones. */
  forget(): boolean;
}

export interface Identity {
  /** The Authorization header. */
  readonly authorization?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Whether credentials may be sent there: encrypted, or to this machine. */
export const keepsSecrets = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** For credentials that never change. */
export const fixedIdentity = (identity: Identity): Pick<ClusterAccess, 'identify' | 'forget'> => ({
  identify: async () => identity,
  forget: () => false,
});

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

const fields = ['as', 'as-uid', 'as-groups', 'as-user-extra'];

/** Follows client-go's rules; in addition a misspelt field is an error, since Lull would act with more permissions than intended. Throws an Error with a message for the user. */
export function impersonationIn(user: Json): Impersonation | undefined {
  const odd = Object.keys(user).find((key) => /^(as|impersonate)/i.test(key) && !fields.includes(key));
  if (odd !== undefined)
    throw new Error(
      `Unknown field ${JSON.stringify(odd)} of the user. The fields for impersonation are ${fields.join(', ')}.`,
    );
  const as = textOf(user.as, 'as');
  const uid = textOf(user['as-uid'], 'as-uid');
  const groups = textsOf(user['as-groups'], 'as-groups');
  const extra = extraOf(user['as-user-extra']);
  if (as !== undefined) return { user: as, ...(uid !== undefined && { uid }), groups, extra };
  if (uid !== undefined || groups.length > 0 || Object.keys(extra).length > 0)
    throw new Error('The user has as-uid, as-groups or as-user-extra, but no user to act as. Add `as: NAME`.');
  return undefined;
}

function textOf(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string')
    throw new Error(`The user's ${field} is not text: ${JSON.stringify(value)}. Put it in quotes.`);
  // A header ends at a line break, and is trimmed when it is read.
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
    if (text === undefined) throw new Error(`The user's ${field} has an empty entry. Remove it or write a name.`);
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

/** Node writes one byte per character; the API server reads UTF-8. */
const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Every byte that is not allowed in a header name, and the percent sign itself, as %XX: what client-go writes and the server reads. */
const escapeKey = (key: string): string =>
  [...Buffer.from(key, 'utf8')]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
