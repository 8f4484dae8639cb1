// The table of allowed imports between the folders of src. A folder that is not listed may not exist.

export interface Row {
  /** Folders of src, or single files of them. A folder may always import from itself. */
  readonly may: readonly string[];
  /** Folders of which only types may be imported. */
  readonly mayTypesOf?: readonly string[];
  /** npm packages by name; `node:` = everything that comes with Node. */
  readonly packages: readonly string[];
  /** Pure: no clock, no console, no waiting, no I/O. The same facts always give the same answer. */
  readonly pure?: true;
}

const kubernetesClient = '@kubernetes/client-node';

export const table: Readonly<Record<string, Row>> = {
  time: { may: [], packages: [], pure: true },
  cluster: { may: ['time'], packages: [], pure: true },
  engine: { may: ['cluster', 'time'], packages: [], pure: true },
  kinds: { may: ['cluster', 'time'], packages: ['yaml'] },
  explain: { may: ['engine', 'kinds', 'cluster', 'time'], packages: [] },
  lint: { may: ['explain', 'engine', 'kinds', 'cluster', 'time'], packages: [] },
  runtime: { may: ['engine', 'cluster', 'time', 'kinds/readObject.ts'], packages: [] },
  kube: { may: ['kinds', 'cluster', 'time', 'runtime'], packages: [kubernetesClient, 'undici', 'node:'] },
  // Sends requests for HealthGates; only `lull run` and its commands start it.
  probes: { may: ['kube', 'kinds', 'cluster', 'time', 'runtime'], packages: ['@marcbachmann/cel-js', 'node:'] },
  // Not engine: the simulator's scheduler and PDB arithmetic must not be checked against themselves.
  sim: { may: ['kinds', 'cluster', 'time', 'runtime/port.ts', 'runtime/loop.ts', 'runtime/mirror.ts'], packages: [] },
  forecast: { may: ['sim', 'runtime', 'engine', 'kinds', 'cluster', 'time'], packages: [] },
  // A separate folder, so that the dashboard can open a recording as well: decision 9.
  recording: { may: ['engine', 'kinds', 'cluster', 'time'], packages: [] },
  server: {
    may: ['runtime', 'engine', 'cluster', 'time', 'kinds/read/nearMiss.ts', 'kinds/text/escaping.ts'],
    packages: ['node:'],
  },
  // What other programs may import: lull/engine and lull/time.
  library: { may: ['engine', 'kinds', 'cluster', 'time'], packages: [] },
  cli: {
    may: [
      'time',
      'cluster',
      'engine',
      'kinds',
      'explain',
      'lint',
      'runtime',
      'kube',
      'probes',
      'sim',
      'forecast',
      'recording',
      'server',
    ],
    packages: ['commander', 'picocolors', 'pino', 'node:'],
  },
};

/** Browser code, beside src. */
export const dashboard: Row = {
  may: ['engine', 'kinds', 'explain', 'lint', 'cluster', 'time', 'forecast', 'sim', 'recording'],
  mayTypesOf: ['server'],
  packages: ['preact', '@preact/signals', 'uplot'],
};

export const pureFolders: readonly string[] = Object.keys(table).filter((folder) => table[folder]?.pure);

/** Parts of a folder that build on each other: each may import those after it, and none of those before it. */
export const layers: readonly (readonly string[])[] = [['engine/consolidation', 'engine/placement']];
