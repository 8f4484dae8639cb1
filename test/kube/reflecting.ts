// A reflector under test: nodes only, on a misbehaving server, with a clock that moves only on request.
import { isDeepStrictEqual } from 'node:util';
import { apiKindOf } from '../../src/kube/apiKind.ts';
import { openClient } from '../../src/kube/client.ts';
import { fixedIdentity } from '../../src/kube/clusterAccess.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import { Mirror } from '../../src/runtime/mirror.ts';
import { VirtualClock } from '../../src/sim/virtualClock.ts';
import { after, asDuration, type Instant, parseInstant } from '../../src/time/instant.ts';
import { type Asked, type BadServer, openBadServer } from './badServer.ts';
import { turn, until } from './turns.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;

export const node = (name: string, version: number, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: `uid-${name}`, resourceVersion: String(version), labels },
  spec: {},
});

export const added = (name: string, version: number, labels?: Record<string, string>) => ({
  type: 'ADDED',
  object: node(name, version, labels),
});
export const gone = (name: string, version: number) => ({ type: 'DELETED', object: node(name, version) });
export const bookmark = (version: number) => ({
  type: 'BOOKMARK',
  object: { kind: 'Node', metadata: { resourceVersion: String(version) } },
});
export const listEnd = (version: number) => ({
  type: 'BOOKMARK',
  object: {
    kind: 'Node',
    metadata: { resourceVersion: String(version), annotations: { 'k8s.io/initial-events-end': 'true' } },
  },
});
export const failure = (code: number, message = 'no') => ({ kind: 'Status', code, message });

export interface Reflecting {
  readonly server: BadServer;
  readonly clock: VirtualClock;
  readonly mirror: Mirror;
  readonly reflector: Reflector;
  readonly faults: string[];
  readonly news: () => number;
  names(): string[];
  /** Returns when this many errors have occurred in all, and the reflector waits. */
  hasFailed(times: number): Promise<void>;
  /** Advances the clock by milliseconds. */
  pass(milliseconds: number): void;
  /** The first list, with these nodes, up to this version: the rest of the stream is a watch. */
  synced(version: number, ...names: readonly string[]): Promise<Asked>;
  close(): void;
}

export async function reflect(kind = apiKindOf('Node')): Promise<Reflecting> {
  const server = await openBadServer();
  const clock = new VirtualClock(noon);
  const mirror = new Mirror({ isSame: isDeepStrictEqual });
  const faults: string[] = [];
  let news = 0;
  const client = openClient({ server: server.url, tls: {}, ...fixedIdentity({}) }, clock);
  const reflector = new Reflector({
    kind,
    client,
    clock,
    chance: () => 0.5,
    mirror,
    onNews: () => news++,
    onFault: (message) => faults.push(message),
  });
  void reflector.run();
  const names = (): string[] => mirror.look().cluster.nodes.map((view) => view.node.name);
  return {
    server,
    clock,
    mirror,
    reflector,
    faults,
    news: () => news,
    names,
    hasFailed: async (times) => {
      await until(() => faults.length >= times);
      await turn();
    },
    pass: (milliseconds) => {
      const end = after(clock.now, asDuration(milliseconds));
      clock.at(end, () => {});
      while (clock.nextAt !== undefined && clock.nextAt <= end) clock.step();
    },
    synced: async (version, ...given) => {
      const list = await server.next();
      list.open();
      for (const [index, name] of given.entries()) list.line(added(name, version - given.length + index + 1));
      list.line(listEnd(version));
      await until(() => reflector.missing(clock.now) === undefined);
      return list;
    },
    close: () => {
      reflector.close();
      client.close();
      server.close();
    },
  };
}
