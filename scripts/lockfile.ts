// Adds to package-lock.json the platform packages that the current registry does not have: `npm ci` requires an entry for each (decision 4).
import { readFileSync, writeFileSync } from 'node:fs';
import { completed } from './lockfile/completed.ts';

const file = 'package-lock.json';
const { text, added } = completed(readFileSync(file, 'utf8'));
writeFileSync(file, text);
for (const name of added) console.log(`${name}: added without a hash`);
console.log(added.length === 0 ? `${file} is complete` : `${file}: ${added.length} entries added`);
