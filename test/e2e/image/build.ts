// Builds the image on local base images, as `npm run image` does; one build at a time, since all share buildah's storage.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readCheckout } from '../../../scripts/release/checkout.ts';
import { withLock } from '../../cluster/lock.ts';
import { base, root } from '../../cluster/places.ts';

/** Half a minute each if the base images exist, minutes if not, and another story may be building. */
export const buildTimeout = 15 * 60_000;

/** Returns an archive for `ctr images import`. */
export function buildImage(out: string): Promise<string> {
  const words = ['run', '--silent', 'image', '--', '--local-bases', '--docker-archive', '--out', out];
  return withLock(
    join(base, 'image.lock'),
    () => undefined,
    async () => {
      await promisify(execFile)('npm', words, { cwd: root, maxBuffer: 1e8 });
      return join(out, `lull-${readCheckout().version}.docker.tar`);
    },
  );
}
