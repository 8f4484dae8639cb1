// Base images made on this machine from Debian packages and the npm package `node`, for machines that cannot reach a registry.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { buildah, requirePrograms, run, tryBuildah } from './tools.ts';

export interface LocalBases {
  readonly buildImage: string;
  readonly baseImage: string;
}

interface Machine {
  readonly debian: string;
  /** The folder of its libraries below /usr/lib. */
  readonly triplet: string;
  /** Where programs look for the loader. */
  readonly loader: string;
}

interface Parts {
  readonly node: string;
  readonly npm: string;
  /** A Debian tree. */
  readonly tree: string;
}

/** The release of Debian that the pinned base images are made from. */
const suite = 'trixie';

/** Debian's names of the architectures, by Node's names. */
const machines: Readonly<Record<string, Machine>> = {
  x64: { debian: 'amd64', triplet: 'x86_64-linux-gnu', loader: 'lib64/ld-linux-x86-64.so.2' },
  arm64: { debian: 'arm64', triplet: 'aarch64-linux-gnu', loader: 'lib/ld-linux-aarch64.so.1' },
};

/** All that node links to, and what glibc loads to resolve host names. */
const libraries = [
  'libdl.so.2',
  'libstdc++.so.6',
  'libm.so.6',
  'libgcc_s.so.1',
  'libpthread.so.0',
  'libc.so.6',
  'libresolv.so.2',
  'libnss_files.so.2',
  'libnss_dns.so.2',
  'librt.so.1',
];

const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
// The certificates this machine trusts, so that the build works through a proxy that only this machine knows. The run base has Debian's.
const trusted = '/etc/ssl/certs/ca-certificates.crt';
const certificates = 'etc/ssl/certs/ca-certificates.crt';

/** Builds both images unless buildah has them. `cache` keeps the Debian tree, which takes minutes to create. */
export function makeLocalBases(cache: string, say: (line: string) => void): LocalBases {
  requirePrograms(['buildah', 'debootstrap', 'runc']);
  if (process.getuid?.() !== 0)
    throw new Error('--local-bases needs root: debootstrap creates the Debian tree with chroot.');
  const machine = machines[process.arch];
  if (!machine) throw new Error(`--local-bases supports x64 and arm64; this machine is ${process.arch}.`);
  const tree = debianTree(cache, machine.debian, say);
  const parts = { node: resolve('node_modules/node/bin/node'), npm: npmFolder(), tree };
  const key = keyOf(parts);
  const bases = { buildImage: `localhost/lull-build-base:${key}`, baseImage: `localhost/lull-run-base:${key}` };
  if (!tryBuildah('inspect', '--type', 'image', bases.buildImage)) {
    say(`making the build base ${bases.buildImage}`);
    makeImage(bases.buildImage, tree, [path, `NODE_EXTRA_CA_CERTS=${trusted}`], (root) => addBuildFiles(root, parts));
  }
  if (!tryBuildah('inspect', '--type', 'image', bases.baseImage)) {
    say(`making the run base ${bases.baseImage}`);
    makeImage(bases.baseImage, undefined, [path, `SSL_CERT_FILE=/${certificates}`], (root) =>
      addRunFiles(root, parts, machine),
    );
  }
  return bases;
}

/** Debian's smallest system, without device files, which a container gets from its runtime. */
function debianTree(cache: string, architecture: string, say: (line: string) => void): string {
  const tree = join(cache, `${suite}-${architecture}`);
  if (existsSync(tree)) return tree;
  say(`making a Debian ${suite} tree in ${tree} (about two minutes, once)`);
  const unfinished = `${tree}.${process.pid}`;
  mkdirSync(cache, { recursive: true });
  try {
    run('debootstrap', '--variant=minbase', '--include=ca-certificates', `--arch=${architecture}`, suite, unfinished);
    for (const waste of ['dev', 'var/cache/apt', 'var/lib/apt/lists', 'var/log'])
      run('find', join(unfinished, waste), '-mindepth', '1', '-delete');
    // Another build may have created it meanwhile.
    if (!existsSync(tree)) renameSync(unfinished, tree);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return tree;
}

/** The npm that runs this script. */
function npmFolder(): string {
  const started = process.env.npm_execpath;
  if (started === undefined) throw new Error('--local-bases takes npm from where it was started: run npm run image.');
  return dirname(dirname(started));
}

/** A tag that depends on the parts, so that an image of older parts is not reused. */
function keyOf({ node, npm, tree }: Parts): string {
  const sum = createHash('sha256');
  const files = [node, join(npm, 'package.json'), join(tree, 'var/lib/dpkg/status'), trusted, import.meta.filename];
  for (const file of files.filter((each) => existsSync(each))) sum.update(readFileSync(file));
  return sum.digest('hex').slice(0, 12);
}

/** From scratch, or from a tree. */
function makeImage(
  name: string,
  tree: string | undefined,
  environment: readonly string[],
  fill: (root: string) => void,
): void {
  const container = buildah('from', 'scratch');
  try {
    const root = buildah('mount', container);
    if (tree !== undefined) run('cp', '--archive', `${tree}/.`, root);
    fill(root);
    buildah('umount', container);
    buildah('config', ...environment.flatMap((pair) => ['--env', pair]), container);
    buildah('commit', '--quiet', '--timestamp', '0', container, name);
  } finally {
    tryBuildah('rm', container);
  }
}

function addBuildFiles(root: string, { node, npm }: Parts): void {
  addProgram(node, join(root, 'usr/local/bin/node'));
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true, dereference: true });
  if (existsSync(trusted)) copyFileSync(trusted, join(root, trusted));
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
}

function addRunFiles(root: string, { node, tree }: Parts, { triplet, loader }: Machine): void {
  for (const folder of ['etc', 'home/nonroot', 'lib64', 'proc', 'sys', 'dev']) makeFolder(join(root, folder));
  addProgram(node, join(root, 'nodejs/bin/node'));
  for (const library of libraries)
    addProgram(join(tree, 'usr/lib', triplet, library), join(root, 'lib', triplet, library));
  addProgram(join(tree, 'usr', loader), join(root, loader));
  makeFolder(join(root, dirname(certificates)));
  copyFileSync(join(tree, certificates), join(root, certificates));
  for (const [file, text] of Object.entries(accounts)) writeFileSync(join(root, 'etc', file), text);
  makeFolder(join(root, 'tmp'));
  chmodSync(join(root, 'tmp'), 0o1777);
}

const makeFolder = (path: string): unknown => mkdirSync(path, { recursive: true, mode: 0o755 });

/** Follows links: a library has the name that programs ask for. */
function addProgram(from: string, to: string): void {
  makeFolder(dirname(to));
  copyFileSync(from, to);
  chmodSync(to, 0o755);
}

/** As in the pinned base image: the users root, 'nobody' and the one that the Dockerfile names. */
const accounts = {
  passwd: [
    'root:x:0:0:root:/root:/sbin/nologin',
    'nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin',
    'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin',
    '',
  ].join('\n'),
  group: ['root:x:0:', 'nobody:x:65534:', 'nonroot:x:65532:', ''].join('\n'),
  'nsswitch.conf': 'hosts: files dns\n',
};
