// `npm run image`: builds the image of the Dockerfile with buildah into a folder. It publishes nothing.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildImage } from './image/build.ts';
import { makeLocalBases } from './image/localBases.ts';
import { readCheckout } from './release/checkout.ts';

const own = `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`;

const usage = `npm run image -- [options]

Builds the image of the Dockerfile with buildah, without a container engine, and writes it to a folder.

  --out DIR          where to write to (default dist/image); files of the same name are replaced
  --platform LIST    platforms of the image (default ${own})
  --docker-archive   also write an archive for docker load and ctr images import; one platform only
  --name NAME        the image's name in that archive (default localhost/lull:VERSION)
  --local-bases      make both base images on this machine, from Debian packages and the npm package node,
                     where no registry can be reached; needs root, debootstrap and runc
  --build-image IMAGE, --base-image IMAGE
                     other base images than the Dockerfile pins, which buildah must have already
  --help             print this

Files: lull-VERSION.oci.tar (OCI archive), lull-VERSION.docker.tar (with --docker-archive), lull-VERSION.cdx.json (bill of materials),
lull-VERSION.digest (what image.digest of the chart takes once it is pushed).

Examples:
  npm run image                                              for this machine, base images from the registries in the Dockerfile
  npm run image -- --platform linux/amd64,linux/arm64        one archive for both
  npm run image -- --local-bases --docker-archive            without a registry
  ctr --namespace k8s.io images import dist/image/lull-0.1.0.docker.tar
  skopeo copy --all oci-archive:dist/image/lull-0.1.0.oci.tar docker://registry.example.com/lull:0.1.0

Exit codes: 0 = built, 1 = not built, 2 = wrong usage.`;

function readWords() {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: 'dist/image' },
      platform: { type: 'string', default: own },
      'docker-archive': { type: 'boolean', default: false },
      name: { type: 'string' },
      'local-bases': { type: 'boolean', default: false },
      'build-image': { type: 'string' },
      'base-image': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  return values;
}

type Words = ReturnType<typeof readWords>;

/** Why these options cannot be combined; undefined if they can. */
function conflictIn(words: Words): string | undefined {
  const platforms = words.platform.split(',');
  const odd = platforms.find((platform) => !/^linux\/\w+(\/\w+)?$/.test(platform));
  if (odd !== undefined) return `--platform "${odd}" is not a platform: write linux/amd64 or linux/arm64`;
  if (words['docker-archive'] && platforms.length > 1) return '--docker-archive takes one platform';
  if (words['local-bases'] && words.platform !== own)
    return `--local-bases makes base images for ${own} alone: for ${words.platform}, leave it out or pass --base-image`;
  if (words['local-bases'] && (words['build-image'] ?? words['base-image']) !== undefined)
    return '--local-bases cannot be combined with --build-image and --base-image';
  return words.name !== undefined && !words['docker-archive'] ? '--name needs --docker-archive' : undefined;
}

function wordsOrUsage(): Words {
  try {
    const words = readWords();
    const conflict = words.help ? undefined : conflictIn(words);
    if (conflict !== undefined) throw new Error(conflict);
    return words;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

const say = (line: string): void => console.error(`image: ${line}`);

/** Returns the lines to print. */
function build(words: Words): readonly string[] {
  const checkout = readCheckout();
  const { version } = checkout;
  const bases = words['local-bases']
    ? makeLocalBases('.cluster/image', say)
    : { buildImage: words['build-image'], baseImage: words['base-image'] };
  say(`building lull ${version} for ${words.platform}`);
  const dockerName = words['docker-archive'] ? (words.name ?? `localhost/lull:${version}`) : undefined;
  const built = buildImage(checkout, { ...bases, platforms: words.platform.split(','), dockerName });
  const files = {
    [`lull-${version}.oci.tar`]: built.archive,
    ...(built.dockerArchive && { [`lull-${version}.docker.tar`]: built.dockerArchive }),
    [`lull-${version}.cdx.json`]: built.sbom,
    [`lull-${version}.digest`]: `${built.digest}\n`,
  };
  mkdirSync(words.out, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(words.out, name), bytes);
  if (bases.buildImage ?? bases.baseImage)
    say('the base images are not the ones pinned in the Dockerfile: for a trial, not for publication');
  return [...Object.keys(files).map((name) => join(words.out, name)), built.digest];
}

const words = wordsOrUsage();
if (words.help) {
  console.log(usage);
} else {
  try {
    console.log(build(words).join('\n'));
  } catch (error) {
    console.error(`No image was built: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
