// What do the words after an option mean? A value that is wrong is wrong usage, said with what would be right.
import { Argument, InvalidArgumentError } from 'commander';
import { parseDuration } from '../time/duration.ts';
import { type Duration, type Instant, parseInstant } from '../time/instant.ts';

/** For options that may be given several times. */
export const listFlag = (word: string, before: readonly string[] = []): readonly string[] => [...before, word];

/** Every command that takes -f takes files without it as well. */
export const filesArgument = (): Argument =>
  new Argument('[files...]', 'the same as -f: files, folders, or - for stdin');

export const withFiles = <Flags extends { readonly file?: readonly string[] }>(
  files: readonly string[],
  flags: Flags,
): Flags => (files.length === 0 ? flags : { ...flags, file: [...(flags.file ?? []), ...files] });

export function instantFlag(word: string): Instant {
  const instant = parseInstant(word);
  if (instant === undefined) throw new InvalidArgumentError('Use RFC 3339 such as 2026-11-15T09:00:00Z.');
  return instant;
}

export function wholeFlag(least: number, most: number): (word: string) => number {
  return (word) => {
    const number = /^\d+$/.test(word) ? Number(word) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`);
  };
}

export function durationFlag(word: string): Duration {
  const duration = parseDuration(word);
  if (duration !== undefined && duration > 0) return duration;
  throw new InvalidArgumentError('Use a Go duration such as 6h or 90m.');
}

/** How many seconds are played in a second. */
export function speedFlag(word: string): number {
  if (word === 'max') return Number.POSITIVE_INFINITY;
  const factor = Number(word);
  if (factor > 0 && factor < Number.POSITIVE_INFINITY) return factor;
  throw new InvalidArgumentError('Use a number above 0 such as 60, or max.');
}
