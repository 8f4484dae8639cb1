// What is the page made of? Files that were built and packed before; none of them tells anything of the cluster.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { extname, join } from 'node:path';
import type { Reply } from './reply.ts';
import { plainText } from './reply.ts';

export interface Assets {
  /** Undefined = there is no such file. */
  find(path: string, headers: IncomingHttpHeaders): Reply | undefined;
}

/** All pages are one: the browser knows which to show. */
const pages: ReadonlySet<string> = new Set(['/', '/roll', '/time', '/why', '/what-if', '/history']);

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const packings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

interface File {
  readonly type: string;
  readonly bodies: ReadonlyMap<string, Buffer>;
}

/** `folder` is what the build made; without one, the page says how to make it. */
export function openAssets(folder: string | undefined): Assets {
  const files = folder !== undefined && existsSync(join(folder, 'index.html')) ? readFiles(folder) : undefined;
  return {
    find: (path, headers) => {
      if (!files) return pages.has(path) ? unbuilt : undefined;
      const file = files.get(pages.has(path) ? '/index.html' : path);
      return file && replyOf(file, path, headers);
    },
  };
}

const unbuilt = plainText(503, 'The dashboard is not built. Run `npm run build`, and start anew.\n');

function readFiles(folder: string): ReadonlyMap<string, File> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  const known = new Set(names);
  return new Map(
    names.flatMap((name): [string, File][] => {
      const type = types[extname(name)];
      if (type === undefined) return [];
      const packed = packings.filter(({ ending }) => known.has(name + ending));
      const bodies = new Map([
        ['', readFileSync(join(folder, name))],
        ...packed.map(({ name: how, ending }) => [how, readFileSync(join(folder, name + ending))] as const),
      ]);
      return [[`/${name}`, { type, bodies }]];
    }),
  );
}

function replyOf({ type, bodies }: File, path: string, headers: IncomingHttpHeaders): Reply {
  const accepted = String(headers['accept-encoding'] ?? '');
  const how = packings.find(({ name }) => bodies.has(name) && new RegExp(`\\b${name}\\b`).test(accepted))?.name ?? '';
  // What has a hash in its name never changes; the page itself is asked for anew, and names the others.
  const cache = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  return {
    status: 200,
    type,
    body: bodies.get(how) ?? '',
    headers: { 'cache-control': cache, vary: 'accept-encoding', ...(how && { 'content-encoding': how }) },
  };
}
