// Tests that the bill of materials names what is in the bundle, and only that as required.
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { type Bill, billOfMaterials, bundledIn, dashboardPackages, packageOf } from '../../scripts/sbom.ts';
import { dashboard, table } from '../architecture/table.ts';

const lock = readFileSync('package-lock.json', 'utf8');
const named = ({ components }: Bill, scope: string): string[] =>
  components.filter((it) => it.scope === scope).map(({ purl }) => purl.replace(/@[^@]*$/, ''));

describe('what is bundled', () => {
  it('is what the source may import, and its dependencies', async () => {
    const { metafile } = await build({
      entryPoints: ['src/cli/main.ts'],
      bundle: true,
      platform: 'node',
      format: 'esm',
      metafile: true,
      write: false,
      outdir: 'nowhere',
      define: { LULL_VERSION: '""', LULL_BUILT_FROM: '""' },
    });
    const allowed = Object.values(table).flatMap(({ packages }) => packages);
    const found = bundledIn(metafile).map((path) => packageOf(path) ?? '');
    expect(found).toEqual(expect.arrayContaining(['commander', 'yaml']));
    expect(found.filter((name) => !allowed.includes(name))).toEqual([]);
  });

  it('contains, for the dashboard, its imports and their imports', () => {
    const names = dashboardPackages().map((path) => packageOf(path));
    expect(names).toEqual(expect.arrayContaining([...dashboard.packages, '@preact/signals-core']));
  });
});

describe('the bill of materials', () => {
  const bill = billOfMaterials(lock, new Set(['node_modules/yaml', 'node_modules/@preact/signals']));

  it('lists every package of the lockfile once, those in the bundle as required', () => {
    const { packages } = JSON.parse(lock) as { packages: Record<string, { version: string }> };
    const refs = bill.components.map((it) => it['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    for (const [path, { version }] of Object.entries(packages).filter(([path]) => path !== ''))
      expect(refs).toContain(`pkg:npm/${packageOf(path)?.replace('@', '%40')}@${version}`);
    expect(named(bill, 'required')).toEqual(['pkg:npm/%40preact/signals', 'pkg:npm/yaml']);
    expect(named(bill, 'excluded')).toContain('pkg:npm/vitest');
  });

  it('is valid CycloneDX: each component with its licence, and the hash that npm checks', () => {
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 });
    expect(bill.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    const signals = bill.components.find(({ name }) => name === 'signals');
    expect(signals).toMatchObject({
      type: 'library',
      group: '@preact',
      licenses: [{ license: { id: 'MIT' } }],
      hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
    });
    expect(bill.metadata).toMatchObject({ component: { name: 'lull', licenses: [{ license: { id: 'Apache-2.0' } }] } });
  });

  it('depends only on what is in the bundle', () =>
    expect(bill.dependencies).toContainEqual({
      ref: expect.stringMatching(/^pkg:npm\/lull@/),
      dependsOn: expect.arrayContaining([expect.stringMatching(/^pkg:npm\/yaml@/)]),
    }));

  it('is the same for the same input, and different for another', () => {
    const again = billOfMaterials(lock, new Set(['node_modules/@preact/signals', 'node_modules/yaml']));
    expect(JSON.stringify(again)).toBe(JSON.stringify(bill));
    expect(billOfMaterials(lock, new Set()).serialNumber).not.toBe(bill.serialNumber);
  });
});

describe('packageOf', () => {
  it.each([
    ['node_modules/yaml/dist/index.js', 'yaml'],
    ['../w/node_modules/@preact/signals/x.js', '@preact/signals'],
    ['node_modules/a/node_modules/@b/c', '@b/c'],
    ['src/cli/main.ts', undefined],
  ])('%s = %s', (path, name) => expect(packageOf(path)).toBe(name));
});
