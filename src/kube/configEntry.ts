// What is an entry of a kubeconfig, and what must be asked of the machine to understand one?
import { resolve } from 'node:path';
import type { Json } from '../kinds/reader.ts';
import type { Instant } from '../time/instant.ts';

/** An entry, and the folder that its paths start from. */
export interface Entry {
  readonly fields: Json;
  readonly folder: string;
}

/** What the machine has to say. */
export interface CredentialSource {
  readonly now: () => Instant;
  readFile(path: string): string;
  /** Runs a program and gives what it prints. */
  run(program: Program): Promise<string>;
}

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where a relative path of the command starts from. */
  readonly folder: string;
}

/** `name-data` in base64, which counts first, or `name` as a path. */
export function pem(
  fields: Json,
  name: string,
  { folder, source }: { readonly folder: string; readonly source: CredentialSource },
): string | undefined {
  const data = fields[`${name}-data`];
  if (isText(data)) return Buffer.from(data, 'base64').toString('utf8');
  const path = fields[name];
  return isText(path) ? source.readFile(resolve(folder, path)) : undefined;
}

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
