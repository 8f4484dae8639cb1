import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runInMemory } from '../../../test/inMemory.ts';
import { clientKey, serverCert, serverKey } from '../../../test/kube/certificates.ts';
import { stage } from '../../../test/serverStage.ts';
import { openServer } from '../../server/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'lull-listen-'));
afterAll(() => rmSync(folder, { recursive: true }));
const [cert, key, none] = [join(folder, 'tls.crt'), join(folder, 'tls.key'), join(folder, 'none')];
writeFileSync(cert, serverCert);
writeFileSync(key, clientKey);

describe('T3: a certificate that cannot be used', () => {
  it.each([
    [['--tls-cert-file', cert], 'TLS needs both --tls-cert-file and --tls-key-file.'],
    [['--tls-key-file', key], 'TLS needs both --tls-cert-file and --tls-key-file.'],
    [['--tls-cert-file', none, '--tls-key-file', key], `The certificate cannot be read from ${none} (ENOENT).`],
    [['--tls-cert-file', cert, '--tls-key-file', none], `The private key cannot be read from ${none} (ENOENT).`],
    [['--tls-cert-file', key, '--tls-key-file', key], `${key} is not a certificate in PEM form.`],
    [
      ['--tls-cert-file', cert, '--tls-key-file', key],
      `The private key in ${key} does not belong to the certificate in ${cert}.`,
    ],
  ])('%j is an error at the start', async (flags, says) => {
    const { status, stderr } = await runInMemory(['up', '--listen', ':0', ...flags]);
    expect([status, stderr]).toEqual([2, `lull: ${says}\n`]);
  });
});

describe('T3: a client of a server with TLS', () => {
  const own = join(folder, 'own.key');
  writeFileSync(own, serverKey);
  const ask = async (scheme: string): Promise<string> => {
    const listening = await openServer(stage(), { port: 0, run: 'r', tls: { certFile: cert, keyFile: own } });
    try {
      const { stderr } = await runInMemory(['why', 'web-1', '--server', `${scheme}://127.0.0.1:${listening.port}`]);
      return stderr.replace(String(listening.port), 'PORT');
    } finally {
      await listening.close();
    }
  };

  it('says that the certificate is not trusted, and what to do', async () =>
    expect(await ask('https')).toBe(
      'lull: The certificate of https://127.0.0.1:PORT is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Set NODE_EXTRA_CA_CERTS to the file of its certificate authority.\n',
    ));

  it('that uses http gets an error that names https', async () =>
    expect(await ask('http')).toMatch(/^lull: No Lull answers at .* If it serves HTTPS, use https:\/\/\.\n$/));
});
