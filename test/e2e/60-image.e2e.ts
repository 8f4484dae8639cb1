// The image: built twice with the same bytes from local base images, and run as Kubernetes runs it. Needs no cluster.
import { createHash } from 'node:crypto';
import { type Dirent, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCheckout } from '../../scripts/release/checkout.ts';
import { buildImage, buildTimeout } from './image/build.ts';
import { start, type Unpacked, unpack, whyNoImage } from './image/container.ts';
import { openUntil } from './story/until.ts';

const why = whyNoImage();
if (why !== undefined) process.stderr.write(`60-image is skipped: ${why}\n`);

const { version, commit } = readCheckout();
const name = (ending: string): string => `lull-${version}.${ending}`;
const node = '/nodejs/bin/node';

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe.skipIf(why !== undefined)('The image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lull-image-'));
  const [one, other] = [join(folder, 'one'), join(folder, 'other')];
  let unpacked: Unpacked;
  let entries: readonly Dirent[];
  const pathOf = (entry: Dirent): string => join(entry.parentPath, entry.name).slice(unpacked.root.length);
  const files = (): readonly string[] => entries.filter((entry) => entry.isFile()).map(pathOf);
  const lull = (...words: readonly string[]) => start(unpacked, [...unpacked.image.config.config.Entrypoint, ...words]);
  const until = openUntil(
    async () => '',
    () => undefined,
  );

  beforeAll(async () => {
    await buildImage(one);
    await buildImage(other);
    unpacked = unpack(join(one, name('oci.tar')), folder);
    entries = readdirSync(unpacked.root, { recursive: true, withFileTypes: true });
  }, buildTimeout);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has the same bytes each time it is built', () => {
    const bytes = [one, other].map((out) =>
      readdirSync(out).map((file) => [file, sha256(readFileSync(join(out, file)))]),
    );
    expect(bytes[0]).toHaveLength(4);
    expect(bytes[1]).toEqual(bytes[0]);
  });

  it('comes with its digest and with the bill of materials that is in it', () => {
    const digest = readFileSync(join(one, name('digest')), 'utf8').trim();
    expect(`sha256:${sha256(readFileSync(join(folder, 'layout', 'blobs', ...digest.split(':'))))}`).toBe(digest);
    const inside = readFileSync(join(unpacked.root, 'lull/dist/sbom.cdx.json'));
    expect(readFileSync(join(one, name('cdx.json'))).equals(inside)).toBe(true);
  });

  it('has below /lull only what the Dockerfile copies', () => {
    const own = files().filter((path) => path.startsWith('/lull/'));
    expect(own.filter((path) => !/^\/lull\/dist\/(chunks|dashboard)\//.test(path)).toSorted()).toEqual([
      '/lull/LICENSE',
      '/lull/dist/THIRD-PARTY-LICENSES.txt',
      '/lull/dist/lull.mjs',
      '/lull/dist/sbom.cdx.json',
      '/lull/dist/searchThread.mjs',
      '/lull/dist/watchdogThread.mjs',
      '/lull/scenarios/demo.yaml',
    ]);
    expect(own.filter((path) => path.startsWith('/lull/dist/dashboard/')).length).toBeGreaterThan(0);
  });

  it('has no shell, no package manager, and no program but Node', () => {
    const programs = entries.filter((entry) => {
      const { mode, isFile } = { mode: lstatSync(join(entry.parentPath, entry.name)).mode, isFile: entry.isFile() };
      return (isFile && (mode & 0o111) !== 0 && !/\.so(\.|$)/.test(entry.name)) || entry.isSymbolicLink();
    });
    expect(programs.map(pathOf)).toEqual([node]);
    expect(files().filter((path) => /\/(sh|bash|dash|busybox|npm|npx|apt|dpkg)$/.test(path))).toEqual([]);
  });

  it('has no file that its user owns or may change, except in /tmp, and no setuid or setgid file', () => {
    const loose = entries.filter((entry) => {
      const { uid, mode } = lstatSync(join(entry.parentPath, entry.name));
      return uid !== 0 || (mode & 0o6022) !== 0;
    });
    expect(loose.map(pathOf)).toEqual(['/tmp']);
  });

  it('is for one platform, runs as user 65532, and is at most 150 MB', () => {
    const { os, architecture, config } = unpacked.image.config;
    expect([`${os}/${architecture}`, config.User]).toEqual([
      `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`,
      '65532:65532',
    ]);
    const bytes = files().reduce((sum, path) => sum + lstatSync(join(unpacked.root, path)).size, 0);
    expect(bytes).toBeLessThanOrEqual(150e6);
  });

  it('prints the commit it was built from', async () => {
    const { code, output } = await lull('--version').ended;
    expect([code, output]).toEqual([0, expect.stringContaining(`lull ${version} (commit ${commit.slice(0, 12)} of `)]);
  });

  it('runs with a read-only root filesystem, not as root', async () => {
    const script = `
      const { writeFileSync } = require('node:fs');
      const tried = ['/lull/x', '/tmp/x'].map((file) => { try { writeFileSync(file, ''); return 'written'; } catch (e) { return e.code; } });
      console.log(JSON.stringify([process.getuid(), process.getgid(), ...tried]));`;
    const { output } = await start(unpacked, [node, '-e', script]).ended;
    expect(JSON.parse(output)).toEqual([65532, 65532, 'EROFS', 'EROFS']);
  });

  it('runs `lull up`: the page, /metrics and /healthz answer, and it ends on SIGTERM', async () => {
    const running = lull('up', '--listen', '127.0.0.1:0');
    try {
      const url = await until('it listens', () => /http:\/\/127\.0\.0\.1:\d+/.exec(running.output())?.[0]);
      const get = async (path: string) => {
        const answer = await fetch(url + path);
        return [answer.status, await answer.text()];
      };
      expect(await get('/healthz')).toEqual([200, 'ok\n']);
      expect(await get('/')).toEqual([200, expect.stringContaining('<!doctype html>')]);
      await until('a round is decided', async () => (await get('/api/round'))[0] === 200);
      expect(await get('/metrics')).toEqual([200, expect.stringContaining('lull_')]);
    } finally {
      running.kill('TERM');
    }
    expect(await running.ended).toMatchObject({ code: 0 });
  });
});
