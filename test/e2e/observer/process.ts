// node process.ts KUBECONFIG TIMELINE: watches the cluster on its own and writes down what changes, when it saw it. Ends with its input.
// Independent of Lull: uses none of its code. Each line of input asks it to list everything again, and is answered with `{"flushed":LINE}`.
import { appendFileSync, readFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { type Raw, watched } from './facts.ts';

const [kubeconfigFile = '', timelineFile = ''] = process.argv.slice(2);
const { clusters, users } = JSON.parse(readFileSync(kubeconfigFile, 'utf8'));
const { server, 'certificate-authority-data': authority } = clusters[0].cluster;
const ca = Buffer.from(authority, 'base64').toString('utf8');
const headers = { authorization: `Bearer ${users[0].user.token}`, accept: 'application/json' };
const agent = new Agent({ ca, keepAlive: true });

const write = (line: object): void => appendFileSync(timelineFile, `${JSON.stringify(line)}\n`);

interface Known {
  readonly version: number;
  readonly text: string;
  readonly name: string;
}

/** One kind of object: the last state of each, by its uid. */
class Kind {
  readonly known = new Map<string, Known>();
  /** Deleted ones, so that an old response does not bring them back. */
  readonly gone = new Set<string>();
  readonly kind: string;

  constructor(kind: string) {
    this.kind = kind;
  }

  see(object: Raw): void {
    const { uid, namespace, name, resourceVersion } = object.metadata;
    const before = this.known.get(uid);
    const version = Number(resourceVersion);
    if (this.gone.has(uid) || (before && before.version >= version)) return;
    const facts = watched[this.kind]?.facts(object) ?? {};
    const text = JSON.stringify(facts);
    const key = namespace ? `${namespace}/${name}` : name;
    this.known.set(uid, { version, text, name: key });
    if (before?.text === text) return;
    write({ at: Date.now(), kind: this.kind, name: key, uid, what: before ? 'changed' : 'appeared', ...facts });
  }

  lose(uid: string): void {
    const before = this.known.get(uid);
    if (!before) return;
    this.known.delete(uid);
    this.gone.add(uid);
    const facts = JSON.parse(before.text);
    write({ at: Date.now(), kind: this.kind, name: before.name, uid, what: 'gone', ...facts });
  }

  /** A full list: objects that are not on it and not newer than it are gone. */
  async list(): Promise<string> {
    const text = await fetchText(watched[this.kind]?.path ?? '');
    const { items, metadata } = JSON.parse(text) as { items: Raw[]; metadata: { resourceVersion: string } };
    const here = new Set(items.map((item) => item.metadata.uid));
    for (const [uid, { version }] of this.known) {
      if (!here.has(uid) && version <= Number(metadata.resourceVersion)) this.lose(uid);
    }
    for (const item of items) this.see(item);
    return metadata.resourceVersion;
  }

  /** Returns when the stream has ended, whatever the cause. */
  watch(version: string): Promise<void> {
    const query = `?watch=1&allowWatchBookmarks=true&resourceVersion=${version}&timeoutSeconds=300`;
    return new Promise((resolve) => {
      const asked = get(`${server}${watched[this.kind]?.path}${query}`, { headers, agent }, (response) => {
        if (response.statusCode !== 200) {
          response.resume();
          resolve();
          return;
        }
        const lines = createInterface(response);
        lines.on('error', () => resolve());
        lines.on('line', (line) => {
          // A server that dies leaves half a line; the list that follows corrects it.
          if (!line.endsWith('}')) return;
          const { type, object } = JSON.parse(line) as { type: string; object: Raw };
          if (type === 'DELETED') {
            this.see(object);
            this.lose(object.metadata.uid);
          } else if (type === 'ADDED' || type === 'MODIFIED') this.see(object);
          else if (type === 'ERROR') asked.destroy();
        });
        response.on('error', () => resolve());
        response.on('close', () => resolve());
      });
      asked.on('error', () => resolve());
    });
  }

  async follow(): Promise<never> {
    for (;;) {
      try {
        await this.watch(await this.list());
      } catch {
        // The server is down: that is part of some stories.
      }
      await setTimeout(100);
    }
  }
}

function fetchText(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = get(`${server}${path}`, { headers, agent, timeout: 10_000 }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(pieces).toString('utf8');
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`${path}: ${response.statusCode} ${text}`));
      });
    });
    asked.on('timeout', () => asked.destroy(new Error(`${path}: no answer`)));
    asked.on('error', reject);
  });
}

const kinds = Object.keys(watched).map((kind) => new Kind(kind));

async function flush(line: string): Promise<void> {
  for (;;) {
    try {
      for (const kind of kinds) await kind.list();
      write({ at: Date.now(), flushed: line });
      return;
    } catch {
      await setTimeout(200);
    }
  }
}

const input = createInterface(process.stdin);
input.on('line', (line) => void flush(line));
input.on('close', () => process.exit(0));
for (const kind of kinds) void kind.follow();
