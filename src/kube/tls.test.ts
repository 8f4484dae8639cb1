import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { clientCert, clientKey, serverCert, serverKey } from '../../test/kube/certificates.ts';
import { VirtualClock } from '../sim/virtualClock.ts';
import { type Instant, parseInstant } from '../time/instant.ts';
import { type Client, openClient } from './client.ts';
import { type ClusterAccess, fixedIdentity, type Identity } from './clusterAccess.ts';

const clock = new VirtualClock(parseInstant('2026-03-10T12:00:00Z') as Instant);
let server: Server;
const clients: Client[] = [];

beforeEach(async () => {
  const options = { cert: serverCert, key: serverKey, requestCert: true, rejectUnauthorized: false };
  server = createServer(options, ({ socket }, response) => {
    const { subject } = (socket as TLSSocket).getPeerCertificate();
    response.end(JSON.stringify({ you: subject?.CN ?? 'anonymous', name: (socket as TLSSocket).servername }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  server.close();
});

async function ask(tls: ClusterAccess['tls'], identity: Identity = {}) {
  const { port } = server.address() as AddressInfo;
  const access = { server: new URL(`https://127.0.0.1:${port}`), tls, ...fixedIdentity(identity) };
  const client = openClient(access, clock);
  clients.push(client);
  return client.request({ method: 'GET', path: '/version' });
}

it('a server is trusted if its certificate is signed by the configured CA', async () => {
  expect(await ask({ ca: serverCert })).toMatchObject({ code: 200, body: { you: 'anonymous' } });
});

it.each([
  { name: 'signed by an unknown CA', tls: {} },
  { name: 'signed by another CA', tls: { ca: clientCert } },
  { name: 'for another name', tls: { ca: serverCert, servername: 'elsewhere.test' } },
])('a server is not trusted if its certificate is $name', async ({ tls }) => {
  expect(await ask(tls)).toMatchObject({ kind: 'silence', message: expect.stringMatching(/certificate|altnames/i) });
});

it('a server may have a name that differs from its address', async () => {
  expect(await ask({ ca: serverCert, servername: 'api.test' })).toMatchObject({ body: { name: 'api.test' } });
});

it('a server is trusted without a certificate only with insecure-skip-tls-verify', async () => {
  expect(await ask({ rejectUnauthorized: false })).toMatchObject({ code: 200 });
});

it('a client presents its own certificate', async () => {
  const identity = { cert: clientCert, key: clientKey };
  expect(await ask({ ca: serverCert }, identity)).toMatchObject({ body: { you: 'lull-client' } });
});

it('an invalid certificate is reported', async () => {
  const reply = await ask({ ca: serverCert }, { cert: 'none', key: 'none' });
  expect(reply).toMatchObject({ kind: 'silence', message: expect.stringMatching(/PEM|no start line/i) });
});
