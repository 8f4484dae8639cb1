import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Client } from './client.ts';
import { readKarpenterTypes } from './karpenterTypes.ts';

const metrics = `karpenter_cloudprovider_instance_type_cpu_cores{instance_type="m5.large"} 2
karpenter_cloudprovider_instance_type_memory_bytes{instance_type="m5.large"} 8.589934592e+09
karpenter_cloudprovider_instance_type_offering_price_estimate{capacity_type="spot",instance_type="m5.large",zone="a"} 0.04
`;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Answers each call with the next of these texts, the last one again and again. */
async function serve(...texts: readonly string[]): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const text = texts[Math.min(asked.length, texts.length) - 1] ?? '';
    if (text === 'moved') response.writeHead(302, { location: 'http://127.0.0.1:1/metrics' }).end();
    else response.writeHead(200, { 'content-type': 'text/plain' }).end(text);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** An API server that knows these Services, but refuses to proxy to them. */
const apiServer = (code: number, items: readonly object[] = []): Client => ({
  request: async () => ({ kind: 'answer', code, body: { items } }),
  stream: () => ({
    end: Promise.resolve({ kind: 'refused', code: 403, body: {} }),
    cut: () => undefined,
  }),
  close: () => undefined,
});

const karpenter = {
  metadata: { namespace: 'kube-system', name: 'karpenter' },
  spec: { ports: [{ name: 'http-metrics', port: 8080 }] },
};

describe("F5: Karpenter's metrics", () => {
  it('are read from a URL, at /metrics if it has no path', async () => {
    const { url, asked } = await serve(metrics);
    const read = await readKarpenterTypes({ where: url, client: apiServer(500), isInside: false });
    expect(read).toMatchObject({ from: `${url}/metrics`, types: [{ name: 'm5.large' }] });
    expect(asked).toEqual(['/metrics']);
  });

  it('are read again if there are no prices: another replica may lead', async () => {
    const { url, asked } = await serve('go_goroutines 8\n', 'go_goroutines 8\n', metrics);
    const read = await readKarpenterTypes({ where: url, client: apiServer(500), isInside: false });
    expect(read).toMatchObject({ types: [{ name: 'm5.large' }] });
    expect(asked).toHaveLength(3);
  });

  it.each([
    { it: 'it has no prices', text: 'go_goroutines 8\n', says: /no prices of instance types/ },
    { it: 'it redirects, which is not followed', text: 'moved', says: /answers 302/ },
  ])('reports the reason if $it', async ({ text, says }) => {
    const { url } = await serve(text);
    const read = await readKarpenterTypes({ where: url, client: apiServer(500), isInside: false });
    expect(read).toMatchObject({ why: expect.stringMatching(says) });
  });

  it.each([
    { it: 'nothing listens there', where: 'http://127.0.0.1:1/metrics', client: apiServer(200), says: /ECONNREFUSED/ },
    {
      it: 'Services may not be listed',
      where: 'auto',
      client: apiServer(403),
      says: /^Lull may not list Services \(403\)/,
    },
    { it: 'there is no Service', where: 'auto', client: apiServer(200), says: /no Service with the label/ },
    {
      it: 'the API server refuses to proxy',
      where: 'auto',
      client: apiServer(200, [karpenter]),
      says: /Service kube-system\/karpenter through the API server answers 403/,
    },
  ])('reports the reason if $it', async ({ where, client, says }) => {
    expect(await readKarpenterTypes({ where, client, isInside: false })).toMatchObject({
      why: expect.stringMatching(says),
    });
  });
});
