// The server's TLS certificate and key: read from files, validated, and reloaded when the files change.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { CertificateState } from './meter.ts';

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** What is wrong with the certificate or key. */
export class CertificateError extends Error {}

export class Certificate {
  readonly #files: CertificateFiles;
  #pair: Pair;
  #state: CertificateState;
  /** The invalid content of the files at the last check. */
  #suspect: string | undefined;

  /** Throws a CertificateError without a valid pair. An expired certificate is used: it must not stop Lull from deciding. */
  constructor(files: CertificateFiles) {
    this.#files = files;
    this.#pair = readPair(files);
    this.#state = { expiresAt: checkPair(this.#pair, files) };
  }

  get state(): CertificateState {
    return this.#state;
  }

  get context(): SecureContextOptions {
    return { ...this.#pair, minVersion: 'TLSv1.2' };
  }

  /** Reads the files again. Returns `refused` once per invalid pair, and only at its second check: the two files are not replaced at the same time. */
  check(now: number): 'same' | 'replaced' | 'refused' {
    let seen = '';
    try {
      const pair = readPair(this.#files);
      seen = `${pair.cert}${pair.key}`;
      if (pair.cert === this.#pair.cert && pair.key === this.#pair.key) {
        this.#accept(this.#pair, this.#state.expiresAt);
        return 'same';
      }
      const expiresAt = checkPair(pair, this.#files);
      if (expiresAt <= now) throw new CertificateError(`${this.#files.certFile} has expired.`);
      this.#accept(pair, expiresAt);
      return 'replaced';
    } catch (error) {
      return this.#refuse(error, seen);
    }
  }

  #accept(pair: Pair, expiresAt: number): void {
    this.#pair = pair;
    this.#state = { expiresAt };
    this.#suspect = undefined;
  }

  #refuse(error: unknown, seen: string): 'same' | 'refused' {
    const message = error instanceof Error ? error.message : String(error);
    const suspect = `${message}${seen}`;
    const isNew = this.#suspect !== suspect;
    this.#suspect = suspect;
    if (isNew || this.#state.refused === message) return 'same';
    this.#state = { expiresAt: this.#state.expiresAt, refused: message };
    return 'refused';
  }
}

const readPair = ({ certFile, keyFile }: CertificateFiles): Pair => ({
  cert: readText(certFile, 'certificate'),
  key: readText(keyFile, 'private key'),
});

function readText(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CertificateError(`The ${what} cannot be read from ${file} (${code}).`);
  }
}

/** Returns when the certificate expires. */
function checkPair({ cert, key }: Pair, { certFile, keyFile }: CertificateFiles): number {
  const leaf = attempt(() => new X509Certificate(cert), `${certFile} is not a certificate in PEM form.`);
  const secret = attempt(
    () => createPrivateKey(key),
    `${keyFile} is not a private key in PEM form without a passphrase.`,
  );
  if (!leaf.checkPrivateKey(secret))
    throw new CertificateError(`The private key in ${keyFile} does not belong to the certificate in ${certFile}.`);
  attempt(() => createSecureContext({ cert, key }), `TLS cannot be served with ${certFile} and ${keyFile}.`);
  return leaf.validToDate.getTime();
}

function attempt<Made>(make: () => Made, message: string): Made {
  try {
    return make();
  } catch {
    throw new CertificateError(message);
  }
}
