import { mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { clientCert, clientKey, expiredCert, expiredKey, serverCert, serverKey } from '../../test/kube/certificates.ts';
import { stage, until } from '../../test/serverStage.ts';
import { Certificate } from './certificate.ts';
import { openServer, type RunningServer } from './server.ts';

const folder = mkdtempSync(join(tmpdir(), 'lull-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));
let listening: RunningServer | undefined;
afterEach(() => listening?.close());

const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
function write(cert: string, key: string): void {
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key);
}
const now = Date.parse('2026-11-16T12:00:00Z');

async function serve(said: string[] = []): Promise<RunningServer> {
  const onCertificate = (text: string): void => void said.push(text);
  listening = await openServer(stage(), { port: 0, run: 'r', tls: files, onCertificate, limits: { reload: 20 } });
  return listening;
}

interface Asked {
  readonly text: string;
  readonly subject: string;
  readonly protocol: string | null;
}

const ask = (url: string, path: string, agent = new Agent({ rejectUnauthorized: false })): Promise<Asked> =>
  new Promise((resolve, reject) => {
    const asking = request(url + path, { agent }, (response: IncomingMessage) => {
      const socket = response.socket as TLSSocket;
      const { subject } = socket.getPeerCertificate();
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ text, subject: String(subject.CN), protocol: socket.getProtocol() }));
    });
    asking.on('error', reject);
    asking.end();
  });

describe('T3: TLS', () => {
  it('a pair is reloaded when its files change, and open connections keep theirs', async () => {
    write(serverCert, serverKey);
    const said: string[] = [];
    const { url } = await serve(said);
    expect(url).toMatch(/^https:/);
    const kept = new Agent({ rejectUnauthorized: false, keepAlive: true, maxSockets: 1 });
    expect(await ask(url, '/healthz', kept)).toEqual({ text: 'ok\n', subject: 'lull-test', protocol: 'TLSv1.3' });
    write(clientCert, clientKey);
    await until(async () => (await ask(url, '/healthz')).subject === 'lull-client');
    expect((await ask(url, '/healthz', kept)).subject).toBe('lull-test');
    kept.destroy();
    expect(said).toEqual(['using the new certificate, which expires on 2124-01-01']);
  });

  it('a pair that cannot be used is reported, and the previous one stays in use', async () => {
    write(serverCert, serverKey);
    const said: string[] = [];
    const { url } = await serve(said);
    write(serverCert, clientKey);
    await until(() => said.length > 0);
    const why = `The private key in ${files.keyFile} does not belong to the certificate in ${files.certFile}.`;
    expect(said).toEqual([`still using the previous certificate, since the new one is invalid: ${why}`]);
    expect((await ask(url, '/healthz')).subject).toBe('lull-test');
    const { text } = await ask(url, '/metrics');
    expect(text).toContain('\nlull_tls_certificate_refused 1\n');
    expect(text).toContain('\nlull_tls_certificate_expiry_timestamp_seconds 4859740800\n');
    expect((await ask(url, '/readyz')).text).toBe('ok\nthe new certificate is not used; see the log\n');
    write(serverCert, serverKey);
    await until(async () => (await ask(url, '/metrics')).text.includes('\nlull_tls_certificate_refused 0\n'));
    expect((await ask(url, '/readyz')).text).toBe('ok\n');
  });

  it('follows symbolic links that are replaced, like those of a mounted Secret', () => {
    const link = join(folder, 'linked.crt');
    write(serverCert, serverKey);
    const [next, key] = [join(folder, 'next.crt'), join(folder, 'next.key')];
    symlinkSync(files.certFile, link);
    const certificate = new Certificate({ certFile: link, keyFile: key.replace('next.key', 'tls.key') });
    writeFileSync(next, clientCert);
    unlinkSync(link);
    symlinkSync(next, link);
    writeFileSync(files.keyFile, clientKey);
    expect(certificate.check(now)).toBe('replaced');
  });

  it.each([
    ['the key of another certificate', serverCert, clientKey, 'does not belong'],
    ['no certificate', 'nothing', serverKey, 'is not a certificate in PEM form'],
    ['no key', serverCert, '', 'is not a private key in PEM form'],
    ['an expired one', expiredCert, expiredKey, 'has expired'],
  ])('%s is refused at the second check, and reported only once', (_, cert, key, says) => {
    write(serverCert, serverKey);
    const certificate = new Certificate(files);
    write(cert, key);
    expect([1, 2, 3].map(() => certificate.check(now))).toEqual(['same', 'refused', 'same']);
    expect(certificate.state.refused).toContain(says);
    write(serverCert, serverKey);
    expect(certificate.check(now)).toBe('same');
    expect(certificate.state.refused).toBeUndefined();
  });

  it('files that are missing for a moment change nothing', () => {
    write(serverCert, serverKey);
    const certificate = new Certificate(files);
    unlinkSync(files.keyFile);
    expect(certificate.check(now)).toBe('same');
    write(clientCert, clientKey);
    expect(certificate.check(now)).toBe('replaced');
  });

  it('starts with an expired certificate, and reports it', async () => {
    write(expiredCert, expiredKey);
    const said: string[] = [];
    await serve(said);
    expect(said).toEqual(['the certificate expired on 2020-01-02']);
  });

  it('nothing older than TLS 1.2, and no plain HTTP', async () => {
    write(serverCert, serverKey);
    const { port } = await serve();
    const old = new Promise((resolve) => {
      const options = { port, host: '127.0.0.1', rejectUnauthorized: false, ciphers: 'DEFAULT@SECLEVEL=0' };
      const socket = connect({ ...options, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }, () => resolve('connected'));
      socket.on('error', () => resolve('refused'));
    });
    expect(await old).toBe('refused');
    const plain = new Promise((resolve) => {
      const socket = createConnection(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(text));
    });
    expect(await plain).not.toContain('HTTP/1.1');
    expect((await ask(`https://127.0.0.1:${port}`, '/healthz')).text).toBe('ok\n');
  });
});
