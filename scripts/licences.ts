// The licences of the packages in the bundle, which must be passed on with it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The licence texts of all packages in the bundle. A package without one stops the build. */
export function licencesOf(folders: Iterable<string>): string {
  const parts = [...folders].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
    const file = readdirSync(folder).find((it) => /^licen[cs]e(\.|$)/i.test(it));
    if (file === undefined) throw new Error(`${name} is in the bundle but has no licence file`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return `Parts of these packages are in the files beside this one.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
