// npm run reference: generates docs/reference, the Grafana dashboard and parts of the chart. Tests fail if a file is out of date.
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
