import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { clientKey, serverCert } from '../../test/kube/certificates.ts';
import { runInMemory } from './inMemory.ts';

const folder = mkdtempSync(join(tmpdir(), 'lull-listen-'));
afterAll(() => rmSync(folder, { recursive: true }));
const [cert, key, none] = [join(folder, 'tls.crt'), join(folder, 'tls.key'), join(folder, 'none')];
writeFileSync(cert, serverCert);
writeFileSync(key, clientKey);

describe('O3: a certificate that cannot be used', () => {
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
