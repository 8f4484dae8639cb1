// `npm run release -- --out DIR`: builds what is published into DIR, the same bytes from the same commit. It publishes nothing (docs/releasing.md).
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildImage } from './image/build.ts';
import { type Artefacts, artefactsOf, buildProgram, checksums } from './release/artefacts.ts';
import { readCheckout } from './release/checkout.ts';
import { refusals } from './release/refusals.ts';

const usage = `npm run release -- --out DIR [--image]

  --out DIR             where to write to; made if it is missing, must be empty
  --image               builds the image too (needs buildah)
  --platform LIST       platforms of the image (default linux/amd64,linux/arm64)
  --build-image IMAGE   for a trial: a local image instead of the pinned one
  --base-image IMAGE    likewise`;

function refuse(reasons: readonly string[]): never {
  console.error(['Nothing was released:', ...reasons.map((reason) => `- ${reason}`)].join('\n'));
  process.exit(1);
}

function readWords() {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      image: { type: 'boolean', default: false },
      platform: { type: 'string', default: 'linux/amd64,linux/arm64' },
      'build-image': { type: 'string' },
      'base-image': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  return values;
}

function wordsOrUsage(): ReturnType<typeof readWords> {
  try {
    return readWords();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

const words = wordsOrUsage();
if (words.help || words.out === undefined) {
  console.log(usage);
  process.exit(words.help ? 0 : 2);
}
const { out } = words;
if (existsSync(out) && readdirSync(out).length > 0) refuse([`${out} is not empty.`]);

const checkout = readCheckout();
const reasons = refusals(checkout);
if (reasons.length > 0) refuse(reasons);

// Files that the build creates have the same modes on every machine.
process.umask(0o022);
buildProgram(checkout);
const isTrial = words['build-image'] !== undefined || words['base-image'] !== undefined;
const artefacts = { ...artefactsOf(checkout), ...(words.image && imageArtefact()) };

function imageArtefact(): Artefacts {
  try {
    const { archive } = buildImage(checkout, {
      buildImage: words['build-image'],
      baseImage: words['base-image'],
      platforms: words.platform.split(','),
    });
    return { [`lull-${checkout.version}${isTrial ? '-trial' : ''}.oci.tar`]: archive };
  } catch (error) {
    return refuse([error instanceof Error ? error.message : String(error)]);
  }
}

mkdirSync(out, { recursive: true });
for (const [name, bytes] of Object.entries(artefacts)) writeFileSync(join(out, name), bytes);
const sums = checksums(artefacts);
writeFileSync(join(out, 'SHA256SUMS'), sums);
console.log(`lull ${checkout.version}, commit ${checkout.commit}\n${sums}`);
if (isTrial)
  console.log('The base images are not the ones pinned in the Dockerfile: for a trial, not for publication.');
