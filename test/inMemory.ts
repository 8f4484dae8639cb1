// Runs a command line in memory for tests: with a fixed clock, and streams that are strings.

import { utc } from '../src/cli/formatTime.ts';
import type { Io } from '../src/cli/io.ts';
import { run } from '../src/cli/program.ts';
import { asInstant, parseInstant } from '../src/time/instant.ts';
import { findZone, offsetAt } from '../src/time/zone.ts';

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface World extends Partial<Omit<Io, 'stdin' | 'now' | 'stdout' | 'stderr'>> {
  readonly stdin?: string | Uint8Array;
  readonly now?: string;
  /** Called with output to stdout and stderr as it is written. */
  readonly onStdout?: (text: string) => void;
  readonly onStderr?: (text: string) => void;
}

export async function runInMemory(
  argv: readonly string[],
  { stdin = '', now, onStdout, onStderr, localZone = () => 'UTC', ...rest }: World = {},
): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  const status = await run(argv, {
    stdin: async () => (typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin),
    stdout: (text) => {
      stdout += text;
      onStdout?.(text);
    },
    stderr: (text) => {
      stderr += text;
      onStderr?.(text);
    },
    now: () => parseInstant(now ?? '2026-11-17T10:20:00Z') ?? asInstant(0),
    localZone,
    localOffset: (at) => offsetAt(findZone(localZone()) ?? utc, at),
    width: 100,
    color: false,
    version: '1.2.3',
    debug: false,
    ...rest,
  });
  return { status, stdout, stderr };
}
