// Reads a scenario of decisions: cluster objects, and in its header the instants to decide at with what must hold.
import { readFileSync } from 'node:fs';
import { emptyLedger, type Ledger } from '../../src/cluster/ledger.ts';
import { defaultSettings } from '../../src/cluster/settings.ts';
import { ClusterStore } from '../../src/cluster/store.ts';
import { decideRound } from '../../src/engine/round.ts';
import type { Round } from '../../src/engine/verdict.ts';
import { readObject } from '../../src/kinds/readObject.ts';
import { readDocuments } from '../../src/kinds/text/documents.ts';
import { type Instant, parseInstant } from '../../src/time/instant.ts';

export interface Scenario {
  readonly decide: (at: Instant) => Round;
  readonly moments: readonly Moment[];
}

/** `# decide: INSTANT what happens`, with `#   expect: LINE` below it: a line of the round's transcript. */
interface Moment {
  readonly at: Instant;
  readonly what: string;
  readonly expected: readonly string[];
}

export function readScenario(path: string, file: string): Scenario {
  const text = readFileSync(path, 'utf8');
  const { documents, errors } = readDocuments(text, file);
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${JSON.stringify(errors)}`);
  const cluster = new ClusterStore();
  let ledger: Ledger = emptyLedger;
  for (const { object, position } of documents) {
    const read = readObject(object, position);
    if (read.kind === 'ignored') throw new Error(`${file} holds an object that Lull does not read: ${object.kind}`);
    if (read.kind === 'DisruptionLedger') ledger = read.record;
    else cluster.put(read);
  }
  return { decide: (at) => decideRound({ cluster, ledger }, at, defaultSettings), moments: readMoments(text, file) };
}

function readMoments(text: string, file: string): Moment[] {
  const moments: { at: Instant; what: string; expected: string[] }[] = [];
  for (const [, key, value = ''] of text.matchAll(/^# +(decide|expect): (.+)$/gm)) {
    const last = moments.at(-1);
    if (key === 'expect') {
      if (!last) throw new Error(`${file} has an expectation before the first decision`);
      last.expected.push(value);
    } else moments.push(readMoment(value, file));
  }
  return moments;
}

function readMoment(text: string, file: string): { at: Instant; what: string; expected: string[] } {
  const [instant = '', ...words] = text.split(' ');
  const at = parseInstant(instant);
  if (at === undefined) throw new Error(`${file}: "${instant}" is not an instant`);
  return { at, what: words.join(' '), expected: [] };
}
