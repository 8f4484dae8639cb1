// Writes docs/reference, the Grafana dashboard, and what of the chart comes from the code: `npm run reference`. Tests in test/reference, test/monitoring and test/chart fail when a file is not as it would be written.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chartFiles } from './chart/chartFiles.ts';
import { boardJson } from './monitoring/boardJson.ts';
import { referencePages } from './reference/pages.ts';

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

write('docs/reference', await referencePages());
write('deploy/monitoring', { 'grafana.json': boardJson() });
rmSync('deploy/chart/files', { recursive: true, force: true });
write('deploy/chart', chartFiles());
