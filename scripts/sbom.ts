// A bill of materials (CycloneDX 1.6) from the lockfile: packages in the bundle as required, those that only build and test it as excluded.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

interface Locked {
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
}

interface Lock {
  readonly name: string;
  readonly version: string;
  readonly packages: Readonly<Record<string, Locked>>;
}

export interface Component {
  readonly type: 'library' | 'application';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly scope?: 'required' | 'excluded';
  readonly [field: string]: unknown;
}

export interface Bill {
  readonly components: readonly Component[];
  readonly [field: string]: unknown;
}

const inNodeModules = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)(?=\/|$)/g;

/** `node_modules/a/node_modules/@b/c/x.js` = `@b/c`: the innermost. */
export const packageOf = (path: string): string | undefined => [...path.matchAll(inNodeModules)].at(-1)?.[1];

/** The folders of packages of which at least one byte is in the bundle. */
export function bundledIn({ outputs }: Metafile): readonly string[] {
  const paths = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  return [...new Set(paths.flatMap((path) => folderOf(path) ?? []))].sort();
}

/** As the lockfile names it: `node_modules/yaml`. */
function folderOf(path: string): string | undefined {
  const last = [...path.matchAll(inNodeModules)].at(-1);
  return last && path.slice(path.indexOf('node_modules/'), last.index + last[0].length);
}

/** A table (test/architecture) lists what the dashboard may import; its imports, followed recursively, say what it does import. */
export function dashboardPackages(): readonly string[] {
  const found = new Set<string>();
  const follow = (name: string): void => {
    const folder = `node_modules/${name}`;
    if (found.has(folder)) return;
    found.add(folder);
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    Object.keys(dependencies).forEach(follow);
  };
  for (const file of readdirSync('dashboard', { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(file) || /\.test\./.test(file)) continue;
    const text = readFileSync(join('dashboard', file), 'utf8');
    for (const [, name = ''] of text.matchAll(/(?:from|import) '((?:@[^/']+\/)?[^./'][^/']*)[^']*'/g)) follow(name);
  }
  return [...found].sort();
}

/** The same lockfile and bundle give the same bytes: the serial number is their hash, and there is no timestamp. */
export function billOfMaterials(lockText: string, bundled: ReadonlySet<string>): Bill {
  const lock = JSON.parse(lockText) as Lock;
  const self = componentFor(
    lock.name,
    { version: lock.version, license: lock.packages['']?.license ?? '' },
    'application',
  );
  const components = Object.entries(lock.packages)
    .filter(([path, { version, link }]) => path !== '' && version !== undefined && !link)
    .map(([path, locked]) => ({
      ...componentFor(locked.name ?? packageOf(path) ?? path, locked, 'library'),
      scope: bundled.has(path) ? ('required' as const) : ('excluded' as const),
    }));
  const unique = [...components.reduce(requiredFirst, new Map<string, Component>()).values()];
  const sorted = unique.toSorted((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1));
  const required = sorted.filter(({ scope }) => scope === 'required').map((it) => it['bom-ref']);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(lockText + required.join())}`,
    version: 1,
    metadata: { component: self },
    components: sorted,
    dependencies: [{ ref: self['bom-ref'], dependsOn: required }, ...required.map((ref) => ({ ref }))],
  };
}

/** One version may be in several folders; it is in the bundle if one of them is. */
function requiredFirst(known: Map<string, Component>, component: Component): Map<string, Component> {
  const ref = component['bom-ref'];
  return known.get(ref)?.scope === 'required' ? known : known.set(ref, component);
}

function componentFor(name: string, { version = '', integrity, license }: Locked, type: Component['type']): Component {
  const purl = `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
  const [group, short] = name.startsWith('@') ? (name.split('/') as [string, string]) : [undefined, name];
  return {
    type,
    'bom-ref': purl,
    ...(group && { group }),
    name: short,
    version,
    purl,
    ...(license && { licenses: [/[ ()]/.test(license) ? { expression: license } : { license: licenseOf(license) }] }),
    ...(integrity && { hashes: hashesIn(integrity) }),
  };
}

/** `SEE LICENSE IN …` and the like contain spaces; an SPDX identifier does not. */
const licenseOf = (license: string): object => ({ id: license });

/** As `sha512-BASE64`, possibly several. */
const hashesIn = (integrity: string): readonly object[] =>
  integrity.split(/\s+/).flatMap((each) => {
    const [, bits = '', text = ''] = /^sha(1|256|384|512)-(.+)$/.exec(each) ?? [];
    return bits === '' ? [] : [{ alg: `SHA-${bits}`, content: Buffer.from(text, 'base64').toString('hex') }];
  });

/** Formatted as a UUID of version 5. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
