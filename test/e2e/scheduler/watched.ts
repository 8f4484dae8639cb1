// The objects of one kind at the API server, kept current by a watch, and waiting for a condition on them.
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { KubeObject } from '../story/hand.ts';

export interface Place {
  readonly server: string;
  readonly token: string;
  readonly ca: string;
  /** The path of the collection over all namespaces. */
  readonly path: string;
}

export interface Watched {
  /** By `namespace/name`. */
  readonly objects: ReadonlyMap<string, KubeObject>;
  /** Evaluates at each change until there is an answer; throws if none comes. */
  until<T>(what: string, look: () => T | undefined): Promise<T>;
  onChange(listener: (object: KubeObject) => void): void;
  close(): void;
}

/** The scheduler answers within milliseconds, late binding within a second; a busy machine may take longer. */
const patience = 60_000;

export const keyOf = ({ metadata }: KubeObject): string =>
  metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;

export async function watch(place: Place): Promise<Watched> {
  const agent = new Agent({ keepAlive: true, ca: place.ca });
  const objects = new Map<string, KubeObject>();
  const looks = new Set<() => void>();
  const listeners: ((object: KubeObject) => void)[] = [];
  let isClosed = false;
  let stream: IncomingMessage | undefined;

  const open = (query: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { accept: 'application/json', authorization: `Bearer ${place.token}` };
      request(new URL(`${place.path}?${query}`, place.server), { headers, agent }, (response) => {
        if (response.statusCode === 200) resolve(response);
        else reject(new Error(`GET ${place.path}?${query}: ${response.statusCode}`));
      })
        .on('error', reject)
        .end();
    });

  const changed = (): void => {
    for (const look of [...looks]) look();
  };

  const take = (type: string, object: KubeObject): void => {
    if (type === 'DELETED') objects.delete(keyOf(object));
    else if (type === 'ADDED' || type === 'MODIFIED') objects.set(keyOf(object), object);
    else return;
    for (const listen of listeners) listen(object);
  };

  /** Starts from a list; the server ends a watch after half an hour, then another follows. */
  const follow = async (): Promise<void> => {
    const list = JSON.parse(await textOf(await open(''))) as {
      items: KubeObject[];
      metadata: { resourceVersion: string };
    };
    objects.clear();
    for (const object of list.items) take('ADDED', object);
    changed();
    stream = await open(`watch=1&resourceVersion=${list.metadata.resourceVersion}`);
    stream.on('close', () => {
      if (!isClosed) follow().catch((error) => fail(error));
    });
    stream.on('error', () => undefined);
    eachLine(stream, (line) => {
      const { type, object } = JSON.parse(line) as { type: string; object: KubeObject };
      take(type, object);
      changed();
    });
  };

  let failure: Error | undefined;
  const fail = (error: Error): void => {
    failure = error;
    changed();
  };

  await follow();
  return {
    objects,
    until: (what, look) =>
      new Promise((resolve, reject) => {
        const end = (finish: () => void): void => {
          clearTimeout(timer);
          looks.delete(attempt);
          finish();
        };
        const attempt = (): void => {
          const found = look();
          if (found !== undefined) end(() => resolve(found));
          else if (failure) end(() => reject(failure));
        };
        const late = (): void => end(() => reject(new Error(`Not within ${patience / 1000} s: ${what}`)));
        const timer = setTimeout(late, patience);
        looks.add(attempt);
        attempt();
      }),
    onChange: (listener) => void listeners.push(listener),
    close: () => {
      isClosed = true;
      stream?.destroy();
      agent.destroy();
    },
  };
}

async function textOf(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

function eachLine(stream: IncomingMessage, tell: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (piece: string) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line) tell(line);
  });
}
