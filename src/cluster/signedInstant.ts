// An instant in an annotation, with who wrote it and why: a requested roll (Q1), an approval (Q2).
import { formatInstant, type Instant, parseInstant } from '../time/instant.ts';
import { defined } from './defined.ts';

export interface SignedInstant {
  readonly at: Instant;
  readonly author?: string;
  readonly note?: string;
}

const longestAuthor = 253;
/** Every refusal and every wish repeats the note. */
const longestNote = 1024;

/** `2026-11-18T10:00:00Z by ann: new kernel`; the author and the note are optional. Undefined if it is not of this form. */
export function parseSigned(text: string): SignedInstant | undefined {
  const [, head = '', note] = /^(.*?)(?::\s+(.*))?$/s.exec(text.trim()) ?? [];
  const [, instant = '', author] = /^(\S+)(?:\s+by\s+(.+))?$/s.exec(head) ?? [];
  const at = parseInstant(instant);
  if (at === undefined) return undefined;
  return defined<SignedInstant>({
    at,
    author: author?.slice(0, longestAuthor),
    note: note?.slice(0, longestNote) || undefined,
  });
}

/** A colon and a space end the author's name. */
export function formatSigned({ at, author, note }: SignedInstant): string {
  const by = author === undefined ? '' : ` by ${oneLine(author).replaceAll(': ', ':').slice(0, longestAuthor)}`;
  return `${formatInstant(at)}${by}${note === undefined ? '' : `: ${oneLine(note).slice(0, longestNote)}`}`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** ` by ann: new kernel`, to follow what was done. */
export const describeSigner = ({ author, note }: SignedInstant): string =>
  `${author === undefined ? '' : ` by ${author}`}${note === undefined ? '' : `: ${note}`}`;
