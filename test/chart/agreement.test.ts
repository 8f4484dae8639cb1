// Tests that the chart and `lull install` create the same objects; the differences are listed here with their reasons.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Manifest, readSettingsText, titleOf, writeSettings } from '../../src/cli/install/manifests/manifest.ts';
import { manifestsFor } from '../../src/cli/install/manifests/manifests.ts';
import { defaultSettings } from '../../src/cluster/settings.ts';
import { binary, render } from './helm.ts';

const roles = ['observe', 'guide', 'drive'] as const;
const namespace = 'elsewhere';

/** Install creates the namespace; with Helm it exists before, or --create-namespace creates it. */
const installAlone = [`Namespace/${namespace}`];

/** What a chart can do and a plain list of manifests cannot. */
const chartAlone = [
  // Install creates it too, but does not print it.
  `Secret/${namespace}/lull-token`,
  // `lull uninstall` does the same.
  `Job/${namespace}/lull-release-all`,
  `NetworkPolicy/${namespace}/lull`,
  `Service/${namespace}/lull`,
  `Service/${namespace}/lull-metrics`,
];

/** Labels and notes of the tool that creates it, the checksum of a text, and the pull policy, which is Kubernetes' default. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, inside]): [string, unknown][] => {
    if (key === 'imagePullPolicy' || /^(app\.kubernetes\.io\/(version|managed-by|instance)|helm\.sh\/.*)$/.test(key))
      return [];
    if (key === 'lull.dev/settings-sum') return [[key, 'a sum']];
    if (key === 'settings.yaml') return [[key, parse(String(inside))]];
    const clean = bare(inside);
    const isEmptied = (key === 'annotations' || key === 'labels') && Object.keys((clean ?? {}) as object).length === 0;
    return isEmptied ? [] : [[key, clean]];
  });
  return Object.fromEntries(entries);
}

/** The chart labels the CRDs, so that `lull uninstall` leaves them to Helm. */
function comparable(manifest: Manifest): unknown {
  const { metadata, ...rest } = manifest;
  if (manifest.kind !== 'CustomResourceDefinition') return bare(manifest);
  const { labels: _, ...named } = metadata;
  return bare({ ...rest, metadata: named });
}

const byTitle = (manifests: readonly Manifest[], alone: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    manifests
      .map((it) => [titleOf(it), comparable(it)] as const)
      .filter(([title]) => !alone.includes(title))
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );

describe.skipIf(binary === undefined)('the chart and lull install', () => {
  it.each(roles.flatMap((role) => [true, false].map((hasImage) => ({ role, hasImage }))))(
    'create the same objects for $role, image: $hasImage',
    ({ role, hasImage }) => {
      const image = 'registry.example.com/lull:7';
      const settings = writeSettings({ ...defaultSettings, role });
      const installed = manifestsFor({ role, namespace, settings, version: '0.1.0', ...(hasImage && { image }) });
      const pairs = {
        'settings.role': role,
        ...(hasImage && { 'image.repository': 'registry.example.com/lull', 'image.tag': '7' }),
      };
      const charted = render(pairs, namespace);
      expect(byTitle(charted, chartAlone)).toEqual(byTitle(installed, installAlone));
      const titles = charted.map(titleOf);
      if (hasImage) expect(titles).toEqual(expect.arrayContaining(chartAlone));
    },
  );

  it('M: the program reads the settings of the chart as they are in the values', () => {
    const pairs = { 'settings.role': 'guide', 'settings.drainTimeout': '2h', 'settings.pools': 'team=a' };
    const map = render(pairs).find(({ kind }) => kind === 'ConfigMap') as Manifest & { data: Record<string, string> };
    const meant = readSettingsText('role: guide\ndrainTimeout: 2h\npools: team=a\n', []);
    expect(readSettingsText(map.data['settings.yaml'] ?? '', [])).toEqual(meant);
    expect(meant).toBeDefined();
  });
});
