// The texts that are fuzzed from and replayed: for each target a folder of files with one JSON string a line.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeJson } from '../../src/kinds/text/escaping.ts';

export const corpusFolder = join(import.meta.dirname, 'corpus');

/** seeds: written by hand. kept: reached new code. found: was a failure once. */
const files = ['seeds', 'kept', 'found'] as const;
export type CorpusFile = (typeof files)[number];

const fileOf = (target: string, file: CorpusFile): string => join(corpusFolder, target, `${file}.ndjson`);

export const corpusOf = (target: string, ...of: readonly CorpusFile[]): string[] =>
  (of.length === 0 ? files : of).flatMap((file) => {
    const path = fileOf(target, file);
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as string);
  });

export const writeTexts = (target: string, file: CorpusFile, texts: readonly string[]): void =>
  writeFileSync(
    fileOf(target, file),
    [...new Set(texts)].map((text) => `${escapeJson(JSON.stringify(text))}\n`).join(''),
  );
