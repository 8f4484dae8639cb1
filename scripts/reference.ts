// Writes docs/reference from the code: `npm run reference`. A test in test/reference fails when a page is not as it would be written.
import { mkdirSync, writeFileSync } from 'node:fs';
import { referencePages } from './reference/pages.ts';

mkdirSync('docs/reference', { recursive: true });
for (const [name, text] of Object.entries(await referencePages())) writeFileSync(`docs/reference/${name}`, text);
