// Tests of the checks against real local servers, good and bad ones.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { expiredCert, expiredKey, serverCert, serverKey } from '../../test/kube/certificates.ts';
import type { HealthCheck } from '../cluster/healthGateRecord.ts';
import type { ApiReply } from '../kube/apiReply.ts';
import type { Call } from '../kube/client.ts';
import { runCheck } from './runCheck.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const trusted = { cert: serverCert, key: serverKey };

async function serve(handler: Handler, tls?: typeof trusted): Promise<string> {
  const server = tls ? createTlsServer(tls, handler) : createServer(handler);
  servers.push(server as Server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json =
  (body: unknown, code = 200): Handler =>
  (_, response) =>
    response.writeHead(code).end(JSON.stringify(body));

const answer = (body: unknown, code = 200): ApiReply => ({ kind: 'answer', code, body });
const nothing = answer({ message: 'not found' }, 404);

const run = (
  check: HealthCheck,
  reply: (call: Call) => ApiReply = () => nothing,
  signal = new AbortController().signal,
) => runCheck(check, { client: { request: async (call) => reply(call) }, namespace: 'lull-system', signal });

const secretOf =
  (data: Readonly<Record<string, string>>) =>
  ({ path }: Call): ApiReply =>
    path === '/api/v1/namespaces/lull-system/secrets/s'
      ? answer({
          data: Object.fromEntries(
            Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
          ),
        })
      : nothing;

describe('O1: prometheus', () => {
  const query = (url: string): HealthCheck => ({ type: 'prometheus', url, query: 'up == 0' });
  const vector = (...result: unknown[]) => ({ status: 'success', data: { resultType: 'vector', result } });
  const series = (job: string) => ({ metric: { __name__: 'up', job }, value: [1, '0'] });

  it.each([
    { it: 'no series', body: vector(), health: 'Healthy', message: 'no series' },
    { it: 'a series', body: vector(series('a')), health: 'Unhealthy', message: '1 series: up{job="a"} 0' },
    {
      it: 'many series, of which three are named',
      body: vector(...['a', 'b', 'c', 'd', 'e'].map(series)),
      health: 'Unhealthy',
      message: '5 series: up{job="a"} 0, up{job="b"} 0, up{job="c"} 0 and 2 more',
    },
    {
      it: 'an error',
      body: { status: 'error', error: 'parse error' },
      health: 'Unknown',
      message: 'it answered 200: parse error',
    },
    {
      it: 'nonsense',
      body: 'hello',
      health: 'Unknown',
      message: 'it answered 200, not as Prometheus or Alertmanager does',
    },
    {
      it: 'a scalar',
      body: { status: 'success', data: { resultType: 'scalar', result: [1, '1'] } },
      health: 'Unknown',
      message: 'the query returns a scalar, not series: compare it, such as x > 1',
    },
  ])('$it: $health', async ({ body, health, message }) => {
    expect(await run(query(`${await serve(json(body))}/`))).toEqual({ health, message });
  });

  it('asks for the query, below the path of the address', async () => {
    const asked: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      asked.push(request.url);
      json(vector())(request, response);
    });
    await run(query(`${url}/base/`));
    expect(asked).toEqual(['/base/api/v1/query?query=up%20%3D%3D%200']);
  });
});

describe('O1: alerts', () => {
  const alerts = (url: string, more: object = {}): HealthCheck => ({
    type: 'alerts',
    url,
    match: {},
    except: {},
    ...more,
  });
  const one = (alertname: string, severity: string, state = 'firing') => ({ labels: { alertname, severity }, state });
  const prometheus =
    (...list: unknown[]): Handler =>
    (request, response) =>
      request.url === '/api/v1/alerts'
        ? json({ status: 'success', data: { alerts: list } })(request, response)
        : json('404 page not found', 404)(request, response);

  it('of Prometheus: those that are firing', async () => {
    const url = await serve(prometheus(one('A', 'page'), one('B', 'page', 'pending')));
    expect(await run(alerts(url))).toEqual({ health: 'Unhealthy', message: '1 firing alert: A{severity="page"}' });
  });

  it('of Alertmanager, without silenced ones', async () => {
    const asked: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      asked.push(request.url);
      json([one('A', 'page'), one('B', 'info')])(request, response);
    });
    expect((await run(alerts(url))).message).toBe(
      '2 firing alerts: A{severity="page", }, B{severity="info"}'.replace(', }', '}'),
    );
    expect(asked).toEqual(['/api/v2/alerts?active=true&silenced=false&inhibited=false']);
  });

  it.each([
    { it: 'match must match the whole value', more: { match: { severity: 'pag' } }, health: 'Healthy' },
    { it: 'match by a pattern', more: { match: { severity: 'page|critical' } }, health: 'Unhealthy' },
    { it: 'every label of match', more: { match: { severity: 'page', alertname: 'B' } }, health: 'Healthy' },
    { it: 'a label that it does not have', more: { match: { team: '.+' } }, health: 'Healthy' },
    { it: 'except', more: { match: { severity: 'page' }, except: { alertname: 'A|Watchdog' } }, health: 'Healthy' },
  ])('$it: $health', async ({ more, health }) => {
    expect((await run(alerts(await serve(json([one('A', 'page')])), more))).health).toBe(health);
  });
});

describe('O1: http', () => {
  const get = (url: string, more: object = {}): HealthCheck => ({ type: 'http', url, status: [200], ...more });

  it.each([
    { code: 200, status: [200], health: 'Healthy' },
    { code: 503, status: [200], health: 'Unhealthy' },
    { code: 503, status: [200, 503], health: 'Healthy' },
  ])('$code among $status: $health', async ({ code, status, health }) => {
    expect(await run(get(await serve(json({}, code)), { status }))).toEqual({ health, message: `it answered ${code}` });
  });

  it('follows a redirect on the same host only', async () => {
    const url = await serve((request, response) =>
      request.url === '/' ? response.writeHead(302, { location: '/there' }).end() : response.end('ok'),
    );
    expect((await run(get(url))).health).toBe('Healthy');
    const other = await serve((_, response) => response.writeHead(302, { location: 'http://example.com/' }).end());
    expect(await run(get(other))).toEqual({
      health: 'Unknown',
      message: 'it redirects to example.com, and redirects to other hosts are not followed',
    });
    const loop = await serve((_, response) => response.writeHead(302, { location: '/' }).end());
    expect((await run(get(loop))).message).toBe('it redirects more than 3 times');
  });

  it('an answer of 10 MB is not read to its end', async () => {
    const url = await serve((_, response) => response.end('x'.repeat(10 * 2 ** 20)));
    expect(await run(get(url))).toEqual({ health: 'Unknown', message: 'its answer is longer than 1 MiB' });
  });

  it('no server, and one that hangs up', async () => {
    expect((await run(get('http://127.0.0.1:1'))).message).toBe('the request failed: ECONNREFUSED');
    const url = await serve((request) => request.socket.destroy());
    expect((await run(get(url))).message).toBe('the request failed: ECONNRESET');
  });

  it('a server that never answers: the check ends when it is stopped', async () => {
    const stop = new AbortController();
    const url = await serve(() => stop.abort());
    expect(await run(get(url), undefined, stop.signal)).toEqual({
      health: 'Unknown',
      message: 'it did not answer in time',
    });
  });

  it('a certificate must be signed by a known authority, or the one of the Secret', async () => {
    const url = await serve(json({}), trusted);
    expect(await run(get(url))).toMatchObject({ health: 'Unknown', message: expect.stringContaining('SELF_SIGNED') });
    expect((await run(get(url, { secret: 's' }), secretOf({ 'ca.crt': serverCert }))).health).toBe('Healthy');
    const expired = await serve(json({}), { cert: expiredCert, key: expiredKey });
    const result = await run(get(expired, { secret: 's' }), secretOf({ 'ca.crt': expiredCert }));
    expect(result).toEqual({ health: 'Unknown', message: 'the request failed: CERT_HAS_EXPIRED' });
  });

  it('credentials come from the Secret, go to https only, and are never repeated', async () => {
    const seen: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(401).end('no: hunter2');
    }, trusted);
    const results = [
      await run(get(url, { secret: 's' }), secretOf({ 'ca.crt': serverCert, token: 'hunter2\n' })),
      await run(get(url, { secret: 's' }), secretOf({ 'ca.crt': serverCert, username: 'ann', password: 'hunter2' })),
      await run(get('http://127.0.0.1:1', { secret: 's' }), secretOf({ token: 'hunter2' })),
      await run(get(url, { secret: 's' })),
    ];
    expect(seen).toEqual(['Bearer hunter2', `Basic ${btoa('ann:hunter2')}`]);
    expect(results.map(({ message }) => message)).toEqual([
      'it answered 401',
      'it answered 401',
      'credentials are sent to https only',
      'Secret lull-system/s cannot be read: 404: not found',
    ]);
  });
});

describe('O1: object', () => {
  const ready = (name: string, status: string) => ({
    metadata: { name },
    spec: { replicas: 3 },
    status: { conditions: [{ type: 'Ready', status }] },
  });
  const check = (more: object): HealthCheck => ({
    type: 'object',
    apiVersion: 'lull.dev/v1alpha1',
    kind: 'NodeRoll',
    ...more,
  });
  const server =
    (...items: object[]) =>
    ({ path, query }: Call): ApiReply => {
      if (path === '/apis/lull.dev/v1alpha1')
        return answer({ resources: [{ kind: 'NodeRoll', name: 'noderolls', namespaced: false }] });
      if (path === '/apis/lull.dev/v1alpha1/noderolls')
        return query?.labelSelector === 'pool=web' ? answer({ metadata: {}, items }) : nothing;
      return path.endsWith('/noderolls/a') && items[0] ? answer(items[0]) : nothing;
    };
  const condition = { type: 'Ready', status: 'True' };
  const selector = { requirements: [{ key: 'pool', operator: 'In', values: ['web'] }] };

  it.each([
    { it: 'by name', more: { name: 'a', condition }, items: [ready('a', 'True')], health: 'Healthy' },
    {
      it: 'every selected one',
      more: { selector, condition },
      items: [ready('a', 'True'), ready('b', 'False')],
      health: 'Unhealthy',
    },
    { it: 'none', more: { selector, condition }, items: [], health: 'Unknown' },
    {
      it: 'a missing condition',
      more: { name: 'a', condition: { type: 'Done', status: 'True' } },
      items: [ready('a', 'True')],
      health: 'Unhealthy',
    },
    {
      it: 'by CEL',
      more: { name: 'a', cel: 'self.spec.replicas >= 3' },
      items: [ready('a', 'True')],
      health: 'Healthy',
    },
    {
      it: 'by CEL that is false',
      more: { name: 'a', cel: 'self.spec.replicas > 3' },
      items: [ready('a', 'True')],
      health: 'Unhealthy',
    },
    {
      it: 'by CEL that cannot be evaluated',
      more: { name: 'a', cel: 'self.spec.' },
      items: [ready('a', 'True')],
      health: 'Unknown',
    },
    { it: 'not there', more: { name: 'b', condition }, items: [ready('a', 'True')], health: 'Unknown' },
    { it: 'a kind that is not served', more: { kind: 'Roll', name: 'a', condition }, items: [], health: 'Unknown' },
  ])('$it: $health', async ({ more, items, health }) => {
    expect((await run(check(more), server(...items))).health).toBe(health);
  });

  it('a kubeconfig from a Secret runs nothing', async () => {
    const user = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'touch', args: ['/tmp/x'] } };
    const kubeconfig = JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'u', user }],
    });
    const result = await run(check({ name: 'a', condition, kubeconfigSecret: 's' }), secretOf({ kubeconfig }));
    expect(result).toMatchObject({ health: 'Unknown', message: expect.stringContaining('runs a program') });
  });
});
