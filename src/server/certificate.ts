// The certificate and key of the server: read from files, checked, and read again when the files change.
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

/** What is wrong with a pair, as a sentence for people. */
export class CertificateError extends Error {}

export class Certificate {
  readonly #files: CertificateFiles;
  #pair: Pair;
  #state: CertificateState;
  /** What was in the files at the last check and cannot be used. */
  #suspect: string | undefined;

  /** Throws a CertificateError where there is no pair to begin with. One that has expired is used: Lull decides all the same. */
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

  /** Reads the files again. `refused` is told once for each pair, and only when it was found twice: files are not replaced at the same instant. */
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
    const { message } = error as Error;
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

/** When it expires. */
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
