// A cluster in memory over HTTP: just enough of an API server to prove that requests are well-formed.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type ApiKind, collectionPath, watchedKinds } from '../../src/kube/apiKind.ts';
import type { RawPatchOperation } from '../../src/sim/jsonPatch.ts';
import { type Json, type KubeObject, keyAt } from '../../src/sim/kubeObject.ts';
import type { ObjectChange, Objects, WriteResult } from '../../src/sim/objects.ts';

export interface Front {
  readonly url: URL;
  /** Sends a bookmark to every watch. */
  bookmark(): void;
  /** Cuts every connection, and accepts no new ones. */
  cutOff(isAway: boolean): void;
  readonly requests: readonly string[];
  /** The impersonated user of each request, in the same order; undefined = none. */
  readonly actors: readonly (string | undefined)[];
  close(): Promise<void>;
}

interface Watch {
  readonly kind: string;
  readonly response: ServerResponse;
}

export interface FrontOptions {
  /** Servers before 1.27 do not support them. */
  readonly streamsLists?: boolean;
  /** The writer, as the cluster in memory names it. */
  readonly by?: string;
  /** Kinds whose CRDs are not installed. */
  readonly missing?: ReadonlySet<string>;
  /** Requests for which the client has no permission, such as `POST /api/v1/nodes`; may change meanwhile. */
  readonly forbidden?: ReadonlySet<string>;
  /** Responses for other paths: discovery, Deployments. Undefined = not found. */
  readonly others?: (asked: OtherCall) => { readonly code: number; readonly body: unknown } | undefined;
}

interface OtherCall {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

export async function openFront(
  objects: Objects,
  { streamsLists = true, by = 'http', missing = new Set(), forbidden = new Set(), others }: FrontOptions = {},
): Promise<Front> {
  const sockets = new Set<Socket>();
  const watches = new Set<Watch>();
  const requests: string[] = [];
  const actors: (string | undefined)[] = [];
  let isAway = false;

  const tell = ({ type, object }: ObjectChange): void => {
    for (const { kind, response } of watches) if (kind === object.kind) send(response, { type, object });
  };
  objects.onChange(tell);

  const server: Server = createServer((request, response) => {
    void readJson(request).then((body) => {
      const url = new URL(request.url ?? '/', 'http://front');
      requests.push(`${request.method} ${url.pathname}`);
      actors.push(request.headers['impersonate-user']?.toString());
      const method = request.method ?? '';
      if (forbidden.has(`${method} ${url.pathname}`)) {
        reply(response, 403, status(403, `${url.pathname} is forbidden: User "lull" cannot ${method} it`));
        return;
      }
      if (!isKept(url.pathname)) {
        const { code, body: said } = others?.({ method, path: url.pathname, body }) ?? {
          code: 404,
          body: status(404, 'no'),
        };
        reply(response, code, said);
        return;
      }
      if (url.searchParams.get('watch') === 'true') watch(url, response);
      else answer({ method, url, body, type: request.headers['content-type'] ?? '' }, response);
    });
  });
  server.on('connection', (socket) => {
    if (isAway) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });

  function watch(url: URL, response: ServerResponse): void {
    const { kind } = kindAt(url.pathname).kind;
    if (missing.has(kind)) {
      reply(response, 404, status(404, 'the server could not find the requested resource'));
      return;
    }
    const isList = url.searchParams.has('sendInitialEvents');
    if (isList && !streamsLists) {
      reply(response, 422, status(422, 'sendInitialEvents is forbidden for watch'));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (isList) {
      for (const object of objects.list(kind)) send(response, { type: 'ADDED', object });
      send(response, bookmark(kind, objects.version, { 'k8s.io/initial-events-end': 'true' }));
    } else {
      // Earlier events are not kept: a client that missed some must list again.
      const from = Number(url.searchParams.get('resourceVersion'));
      const isBehind = [...objects.list(kind)].some(({ metadata }) => Number(metadata.resourceVersion) > from);
      if (isBehind || from < lastGone(kind)) {
        send(response, { type: 'ERROR', object: status(410, 'too old resource version') });
        response.end();
        return;
      }
    }
    const entry = { kind, response };
    watches.add(entry);
    response.on('close', () => watches.delete(entry));
  }

  const goneAt = new Map<string, number>();
  const lastGone = (kind: string): number => goneAt.get(kind) ?? 0;
  objects.onChange(({ type, object, version }) => {
    if (type === 'DELETED') goneAt.set(object.kind, version);
  });

  interface Asked {
    readonly method: string;
    readonly url: URL;
    readonly body: unknown;
    readonly type: string;
  }

  function answer({ method, url, body, type }: Asked, response: ServerResponse): void {
    const { kind, namespace, name, sub } = kindAt(url.pathname);
    if (missing.has(kind.kind)) {
      reply(response, 404, status(404, 'the server could not find the requested resource'));
      return;
    }
    if (method === 'GET' && name === undefined) {
      const only = /^metadata\.name=(.*)$/.exec(url.searchParams.get('fieldSelector') ?? '')?.[1];
      const items = [...objects.list(kind.kind)]
        .filter(({ metadata }) => only === undefined || metadata.name === only)
        .map(({ kind: _kind, apiVersion: _version, ...rest }) => rest);
      const { offset, limit } = pageOf(url);
      const rest = items.length > offset + limit ? { continue: String(offset + limit) } : {};
      const metadata = { resourceVersion: String(objects.version), ...rest };
      reply(response, 200, { kind: `${kind.kind}List`, metadata, items: items.slice(offset, offset + limit) });
      return;
    }
    const key = keyAt(namespace, name ?? '');
    if (method === 'GET') {
      const object = objects.get(kind.kind, key);
      reply(response, object ? 200 : 404, object ?? status(404, `${kind.plural} "${name}" not found`));
      return;
    }
    if (method === 'POST' && sub === 'eviction') {
      const { deleteOptions } = body as { deleteOptions?: { preconditions?: Json } };
      const result = objects.evict(key, by, deleteOptions?.preconditions);
      // Like the real server: the response does not contain the pod.
      reply(response, result.ok ? 201 : result.code, result.ok ? status(201, '') : inWords(result));
      return;
    }
    if (method === 'POST') finish(response, objects.create(body as KubeObject, by), 201);
    else if (method === 'PATCH' && type === 'application/json-patch+json')
      patch(kind, key, body as RawPatchOperation[], response);
    else if (method === 'PATCH' && type === 'application/apply-patch+yaml') withdraw(kind, key, { sub, url }, response);
    else if (method === 'PUT') replace(kind, key, body as KubeObject, response);
    else if (method === 'DELETE') remove(kind, key, body as Json, response);
    else reply(response, 415, status(415, `the body of the request was in an unknown format: ${type}`));
  }

  function patch(kind: ApiKind, key: string, operations: RawPatchOperation[], response: ServerResponse): void {
    const was = objects.get(kind.kind, key);
    const result = objects.patch(kind.kind, key, operations, by);
    if (!result.ok || objects.get(kind.kind, key)) {
      finish(response, result);
      return;
    }
    // Like the real server shows an object removed with its last finalizer: without finalizers, in the version before.
    const { finalizers: _gone, ...metadata } = result.object.metadata;
    const version = { resourceVersion: was?.metadata.resourceVersion };
    reply(response, 200, { ...result.object, metadata: { ...metadata, ...version } });
  }

  function replace(kind: ApiKind, key: string, body: KubeObject, response: ServerResponse): void {
    const was = objects.get(kind.kind, key);
    if (!was || was.metadata.resourceVersion !== body.metadata.resourceVersion)
      reply(response, was ? 409 : 404, status(was ? 409 : 404, 'the object has been modified'));
    else
      reply(
        response,
        200,
        objects.write(kind.kind, key, by, () => body),
      );
  }

  /** Only this part of apply: a manager that applies nothing is forgotten. Merging of fields is tested on the real server. */
  function withdraw(
    kind: ApiKind,
    key: string,
    { sub, url }: { readonly sub: string | undefined; readonly url: URL },
    response: ServerResponse,
  ): void {
    const manager = url.searchParams.get('fieldManager');
    const object = objects.write(kind.kind, key, by, (was) => {
      const entries = (was.metadata.managedFields ?? []) as readonly Json[];
      const others = entries.filter((entry) => entry.manager !== manager || entry.subresource !== sub);
      return { ...was, metadata: { ...was.metadata, managedFields: others } } as KubeObject;
    });
    reply(response, object ? 200 : 404, object ?? status(404, 'not found'));
  }

  function remove(kind: ApiKind, key: string, body: Json, response: ServerResponse): void {
    const { preconditions, gracePeriodSeconds } = body as { preconditions?: Json; gracePeriodSeconds?: number };
    const grace = gracePeriodSeconds !== undefined && { graceSeconds: gracePeriodSeconds };
    const result = objects.delete(kind.kind, key, by, { ...preconditions, ...grace });
    const isGone = result.ok && !objects.get(kind.kind, key);
    // A deletion that takes effect at once returns a Status, except for pods.
    if (result.ok && isGone && kind.kind !== 'Pod')
      reply(response, 200, { ...status(200, ''), status: 'Success', details: { uid: result.object.metadata.uid } });
    else finish(response, result);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    requests,
    actors,
    bookmark: () => {
      for (const { kind, response } of watches) send(response, bookmark(kind, objects.version));
    },
    cutOff: (away) => {
      isAway = away;
      if (away) cut();
    },
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface Addressed {
  readonly kind: ApiKind;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly sub: string | undefined;
}

const lease: ApiKind = {
  kind: 'Lease',
  apiVersion: 'coordination.k8s.io/v1',
  plural: 'leases',
  isNamespaced: true,
};

const isKept = (path: string): boolean => addressedBy(path) !== undefined;

function kindAt(path: string): Addressed {
  const found = addressedBy(path);
  if (!found) throw new Error(`Unknown path ${path}`);
  return found;
}

function addressedBy(path: string): Addressed | undefined {
  const [, namespace] = /\/namespaces\/([^/]+)\/[^/]+/.exec(path) ?? [];
  for (const kind of [...watchedKinds, lease]) {
    for (const each of [undefined, namespace]) {
      const root = collectionPath(kind, each);
      if (path !== root && !path.startsWith(`${root}/`)) continue;
      // `/namespaces/x/pods` is not a namespace.
      const [name, sub, ...rest] = path.slice(root.length + 1).split('/');
      if (kind.kind === 'Namespace' && sub) continue;
      if (rest.length === 0) return { kind, namespace: each, name: name || undefined, sub };
    }
  }
  return undefined;
}

const pageOf = (url: URL): { readonly offset: number; readonly limit: number } => ({
  offset: Number(url.searchParams.get('continue') ?? 0),
  limit: Number(url.searchParams.get('limit') ?? Number.MAX_SAFE_INTEGER),
});

const bookmark = (kind: string, version: number, annotations: Json = {}): Json => ({
  type: 'BOOKMARK',
  object: { kind, metadata: { resourceVersion: String(version), annotations } },
});

const status = (code: number, message: string): Json => ({ apiVersion: 'v1', kind: 'Status', code, message });

const inWords = (result: Extract<WriteResult, { ok: false }>): Json => status(result.code, result.message);

const send = (response: ServerResponse, event: unknown): void => {
  response.write(`${JSON.stringify(event)}\n`);
};

function finish(response: ServerResponse, result: WriteResult, code = 200): void {
  if (result.ok) reply(response, code, result.object);
  else reply(response, result.code, inWords(result));
}

function reply(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const piece of request) text += String(piece);
  return text === '' ? undefined : JSON.parse(text);
}
