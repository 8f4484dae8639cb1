// The lockfile with an entry for every optional dependency, also of platforms whose packages this registry lacks.

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, Locked>>;
  readonly [field: string]: unknown;
}

export interface Missing {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Optional dependencies without an entry: `npm ci` rejects a lockfile that has any. */
export function missingIn({ packages }: Lockfile): readonly Missing[] {
  return Object.entries(packages).flatMap(([path, { license, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !isLocked(packages, path, name))
      .map(([name, version]) => ({ name, version, ...(license && { license }) })),
  );
}

/** As Node resolves it: beside the package that depends on it, or in a folder above. */
function isLocked(packages: Lockfile['packages'], path: string, name: string): boolean {
  if (packages[`${path && `${path}/`}node_modules/${name}`]) return true;
  return path !== '' && isLocked(packages, path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/'))), name);
}

export function completed(lockText: string): { readonly text: string; readonly added: readonly string[] } {
  const lock = JSON.parse(lockText) as Lockfile;
  const missing = missingIn(lock);
  if (missing.length === 0) return { text: lockText, added: [] };
  const entries = [
    ...Object.entries(lock.packages),
    ...missing.map((each) => [`node_modules/${each.name}`, entryFor(each)] as const),
  ];
  const sorted = entries.toSorted(([one], [other]) => one.localeCompare(other, 'en'));
  const text = `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`;
  return { text, added: missing.map(({ name, version }) => `${name}@${version}`) };
}

const exact = /^\d+\.\d+\.\d+(-[\w.]+)?$/;
const platform = /-(?<os>android|darwin|freebsd|linux|openharmony|win32)-(?<cpu>[a-z0-9]+)(?:-(?<abi>\w+))?$/;
const libcs: Readonly<Record<string, string>> = { gnu: 'glibc', musl: 'musl' };

/** The platform is in the name. The hash is not known here: npm adds it when it installs from a registry that has the package. */
function entryFor({ name, version, license }: Missing): Locked {
  const { os, cpu, abi = '' } = platform.exec(name)?.groups ?? {};
  const isWasm = name.endsWith('-wasm32-wasi');
  if (!exact.test(version) || (!os && !isWasm))
    throw new Error(`${name}@${version} is missing in package-lock.json, and its name does not say for which platform`);
  const libc = os === 'linux' ? libcs[abi] : undefined;
  return {
    version,
    cpu: [isWasm ? 'wasm32' : (cpu ?? '')],
    dev: true,
    ...(libc && { libc: [libc] }),
    ...(license && { license }),
    optional: true,
    ...(os && { os: [os] }),
  };
}
