// Where is the page that the server shows? Where the build put it: beside the program, or in dist where the source runs.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Undefined = it was not built; the server then says how to. */
export function dashboardFolder(): string | undefined {
  const places = ['./dashboard', '../../dist/dashboard'];
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return folders.find((folder) => existsSync(folder));
}
