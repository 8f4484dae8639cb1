import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Front, openFront } from '../../test/kube/front.ts';
import { rawNode } from '../../test/rawObjects.ts';
import { runLoop } from '../runtime/loop.ts';
import type { Pass } from '../runtime/port.ts';
import { Objects } from '../sim/objects.ts';
import { VirtualClock } from '../sim/virtualClock.ts';
import type { Instant } from '../time/instant.ts';
import { connect } from './connection.ts';
import { wallClock } from './machine.ts';

let folder: string;
let front: Front;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lull-connection-'));
  const objects = new Objects(new VirtualClock(wallClock.now));
  objects.create(rawNode('n1'), 'stage');
  front = await openFront(objects);
  writeFileSync(
    join(folder, 'config'),
    `current-context: here
contexts: [{name: here, context: {cluster: c, namespace: ops}}]
clusters: [{name: c, cluster: {server: "${front.url.href}"}}]
`,
  );
});
afterEach(async () => {
  await front.close();
  rmSync(folder, { recursive: true });
});

it('from a kubeconfig to a round on what is there, on this machine’s own clock', async () => {
  const connection = connect({ kubeconfig: join(folder, 'config') }, 'lull/test');
  expect(connection).toMatchObject({ context: 'here', namespace: 'ops' });
  const port = connection.openPort();
  const stop = new AbortController();
  const seen: string[][] = [];
  function* pass(_now: Instant): Pass {
    const { cluster, unsynced } = port.view();
    if (unsynced.length > 0) return { again: false };
    seen.push(cluster.nodes.map(({ node }) => node.name));
    stop.abort();
    return { again: false };
  }
  await runLoop({ port, reconciler: { pass }, clock: wallClock, signal: stop.signal });
  expect(seen).toEqual([['n1']]);
  port.close();
  connection.close();
});
