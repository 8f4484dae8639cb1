// Writes the go.mod of another version of Kubernetes or Karpenter, from that version's own.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GeneratedModule } from './binaries.ts';

/**
 * Every requirement is pinned by the version's own go.mod, and Go's checksum database verifies each module: the same sources each time
 * without a go.sum in the repository.
 */
export function generateModule({ of, version, what }: GeneratedModule, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'go.mod');
  writeFileSync(file, `module lull.dev/test/cluster/${what}\n`);
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const { GoMod } = JSON.parse(execFileSync('go', ['mod', 'download', '-json', `${of}@v${version}`], options));
  writeFileSync(file, goModFrom(readFileSync(GoMod, 'utf8'), { of, version, what }));
}

type Source = Pick<GeneratedModule, 'of' | 'version' | 'what'>;

/** Kubernetes replaces its staging modules by folders of its repository; published, they have the version 0.MINOR.PATCH. */
export function goModFrom(text: string, { of, version, what }: Source): string {
  const staging = version.replace(/^\d+\./, 'v0.');
  const [head = ''] = text.split(/^retract \(/m);
  return [
    head
      .replace(/^\/\/.*\n/gm, '')
      .trimStart()
      .replace(/^module .*$/m, `module lull.dev/test/cluster/${what}`)
      .replace(/=> \.\/staging\/src\/(\S+)/g, `=> $1 ${staging}`)
      // Examples, which no program needs.
      .replace(/^\tk8s\.io\/sample-.*\n/gm, '')
      .trimEnd(),
    '',
    `require ${of} v${version}`,
    '',
  ].join('\n');
}

/** The CRDs of Karpenter 1.1 reject a label that its own KWOK provider sets; later ones list it. */
export function allowOwnLabel(folder: string): void {
  const [first, label] = ['["karpenter.kwok.sh/instance-cpu"', '"karpenter.kwok.sh/kwoknodeclass"'];
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll(first, first.replace('[', `[${label}, `)));
  }
}
