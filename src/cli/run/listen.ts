// The address that a running Lull listens on: --listen, else the default port, or a free port if that one is in use.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defined } from '../../cluster/defined.ts';
import { CertificateError, type CertificateFiles } from '../../server/certificate.ts';
import type { RoundSource } from '../../server/roundSource.ts';
import { openServer, type RunningServer, type ServerOptions } from '../../server/server.ts';
import { Failure, wrongUsage } from '../failure.ts';
import { thisMachine, usualPort } from '../flags.ts';
import type { Io } from '../io.ts';
import { serverTokens, type TokenFlags } from '../tokens.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface ListenFlags extends TokenFlags {
  readonly listen?: Address;
  readonly tlsCertFile?: string;
  readonly tlsKeyFile?: string;
}

interface OpenedServer {
  readonly listening: RunningServer;
  /** What the user should know about the address. */
  readonly note?: string;
}

interface ListenOptions {
  /** Called when the certificate files have changed. */
  readonly onCertificate?: (text: string) => void;
}

export async function listenOn(
  source: RoundSource,
  flags: ListenFlags,
  io: Io,
  more: ListenOptions = {},
): Promise<OpenedServer> {
  const { listen: wanted } = flags;
  const tokens = serverTokens(flags);
  const tls = certificateFiles(flags);
  const usual = io.port ?? usualPort;
  const assets = dashboardFolder();
  const options = defined({ run: io.now().toString(36), tokens, ...more, tls, assets });
  try {
    return {
      listening: await openServer(source, { ...options, ...(wanted ?? { host: thisMachine, port: usual }) }),
    };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isBusy = 'code' in error && error.code === 'EADDRINUSE';
    if (error instanceof CertificateError) throw wrongUsage(error.message);
    if (isBusy && wanted === undefined) return listenElsewhere(source, options, usual);
    const message = isBusy
      ? `Port ${wanted?.port} is in use. Choose another with --listen.`
      : `${error.message} Choose another address with --listen.`;
    throw new Failure([{ message }]);
  }
}

function certificateFiles({ tlsCertFile: certFile, tlsKeyFile: keyFile }: ListenFlags): CertificateFiles | undefined {
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  if (certFile === undefined && keyFile === undefined) return undefined;
  throw wrongUsage('TLS needs both --tls-cert-file and --tls-key-file.');
}

async function listenElsewhere(
  source: RoundSource,
  options: Omit<ServerOptions, 'host' | 'port'>,
  usual: number,
): Promise<OpenedServer> {
  const listening = await openServer(source, { ...options, host: thisMachine, port: 0 });
  const note = `Port ${usual} is in use; listening on ${listening.port} instead. For other commands: --server ${listening.url}`;
  return { listening, note };
}

/** Undefined = the dashboard is not built; the server then explains how to build it. */
function dashboardFolder(): string | undefined {
  const places = ['../dashboard', '../../../dist/dashboard'];
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return folders.find((folder) => existsSync(folder));
}
