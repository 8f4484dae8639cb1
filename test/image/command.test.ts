// `npm run image` without buildah: its help, wrong usage, and what to install.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { root } from '../cluster/places.ts';

/** Without a PATH, no program is found. */
const image = (...words: readonly string[]) =>
  spawnSync(process.execPath, ['scripts/image.ts', ...words], { cwd: root, encoding: 'utf8', env: { PATH: '/none' } });

describe('npm run image', () => {
  it('prints its help', () =>
    expect(image('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('--local-bases'), stderr: '' }));

  it.each([
    [['--owt'], "Unknown option '--owt'"],
    [['extra'], "Unexpected argument 'extra'"],
    [['--platform', 'amd64'], '--platform "amd64" is not a platform: write linux/amd64 or linux/arm64'],
    [['--docker-archive', '--platform', 'linux/amd64,linux/arm64'], '--docker-archive takes one platform'],
    [['--name', 'x'], '--name needs --docker-archive'],
    [['--local-bases', '--platform', 'linux/s390x'], '--local-bases makes base images for'],
    [['--local-bases', '--base-image', 'x'], '--local-bases cannot be combined'],
  ])('with %j prints what is wrong, and the usage', (words, reason) => {
    const { status, stdout, stderr } = image(...words);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(reason);
    expect(stderr).toContain('npm run image -- [options]');
  });

  it.each([
    [[], 'buildah not found. On Debian and Ubuntu: apt-get install --no-install-recommends buildah\n'],
    [['--local-bases'], 'apt-get install --no-install-recommends buildah debootstrap runc\n'],
  ])('%j says what to install', (words, remedy) => {
    const { status, stdout, stderr } = image(...words);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('No image was built: ');
    expect(stderr).toContain(remedy);
  });
});
