// Serves the built dashboard files, which are compressed in advance and contain nothing about the cluster.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { extname, join } from 'node:path';
import type { HttpReply } from './httpReply.ts';
import { plainText } from './httpReply.ts';

export interface Assets {
  /** Undefined if there is no such file. */
  find(path: string, headers: IncomingHttpHeaders): HttpReply | undefined;
}

/** Paths of the single-page app: all serve index.html. */
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

interface Asset {
  readonly type: string;
  readonly bodies: ReadonlyMap<string, Buffer>;
}

/** `folder` is the build output; without one, the page explains how to build it. */
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

const unbuilt = plainText(503, 'The dashboard is not built. Run `npm run build` and restart.\n');

function readFiles(folder: string): ReadonlyMap<string, Asset> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  const known = new Set(names);
  return new Map(
    names.flatMap((name): [string, Asset][] => {
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

function replyOf({ type, bodies }: Asset, path: string, headers: IncomingHttpHeaders): HttpReply {
  const accepted = String(headers['accept-encoding'] ?? '');
  const how = packings.find(({ name }) => bodies.has(name) && new RegExp(`\\b${name}\\b`).test(accepted))?.name ?? '';
  // Files with a hash in their name never change; index.html, which refers to them, is revalidated each time.
  const cache = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  return {
    status: 200,
    type,
    body: bodies.get(how) ?? '',
    headers: { 'cache-control': cache, vary: 'accept-encoding', ...(how && { 'content-encoding': how }) },
  };
}
