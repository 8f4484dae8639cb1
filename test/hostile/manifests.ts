// Real texts to damage: the documents of the scenarios and one object of each kind, in YAML and JSON.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeYaml } from '../../src/kinds/text/writeYaml.ts';
import { specimens } from './specimens.ts';

const folder = join(import.meta.dirname, '../../scenarios');

const files = [
  join(folder, 'first-look.yaml'),
  ...readdirSync(join(folder, 'seeds')).map((name) => join(folder, 'seeds', name)),
];

/** Long ones add nothing and are slow. */
const shortEnough = 3000;

const documents = files
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => readFileSync(file, 'utf8').split(/^---\n/m))
  .filter((text) => text.includes('kind:') && text.length < shortEnough);

export const manifests: readonly string[] = [
  ...documents,
  ...specimens.map((object) => writeYaml(object)),
  ...specimens.map((object) => JSON.stringify(object)),
  JSON.stringify({ apiVersion: 'v1', kind: 'List', items: specimens.slice(0, 2) }, null, 2),
  `${documents[0]}---\n${documents[1]}`,
  specimens.map((object) => JSON.stringify(object)).join('\n'),
];
