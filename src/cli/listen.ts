// Where can a running Lull be asked? Where it was told to listen, else at the usual place, or a free one where that is busy.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CertificateError, type CertificateFiles } from '../server/certificate.ts';
import { type Listening, openServer, type ServerOptions } from '../server/server.ts';
import type { Source } from '../server/source.ts';
import { usualPort } from './askServer.ts';
import { dashboardFolder } from './dashboardFolder.ts';
import { Failure, wrongUsage } from './failure.ts';
import type { Io } from './io.ts';
import { serverTokens, type TokenFlags } from './tokens.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

const mostPort = 65_535;
const thisMachine = '127.0.0.1';

export interface ListenFlags extends TokenFlags {
  readonly listen?: Address;
  readonly tlsCertFile?: string;
  readonly tlsKeyFile?: string;
}

/** Gives the command back, so that more can be added. */
export const addListenFlags = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--listen <host:port>',
        `for the dashboard, \`lull why --server\`, /metrics, /healthz and /readyz (default: ${thisMachine}:${usualPort}, or a free port where that is busy); elsewhere than on this machine alone it needs a token`,
      ).argParser(listenFlag),
    )
    .option(
      '--token-file <file>',
      'the token that may read, pause, resume and pass turns (default: the file in LULL_TOKEN_FILE, or LULL_TOKEN)',
    )
    .option(
      '--read-token-file <file>',
      'a token that may only read (default: the file in LULL_READ_TOKEN_FILE, or LULL_READ_TOKEN)',
    )
    .option(
      '--tls-cert-file <file>',
      'serve HTTPS with this certificate, in PEM form, with its chain; read again when it changes',
    )
    .option('--tls-key-file <file>', 'the private key of the certificate')
    .addOption(new Option('--token <value>').hideHelp())
    .addOption(new Option('--read-token <value>').hideHelp());

/** In a cluster: what the kubelet asks. */
export const probesOption = (): Option =>
  new Option(
    '--probes <host:port>',
    'for /healthz and /readyz alone, over plain HTTP and without a token; answered also while a round is decided',
  ).argParser(listenFlag);

/** `127.0.0.1:7727`, `[::1]:7727`, `:0` */
function listenFlag(word: string): Address {
  const [, host = '', digits = ''] = /^(\[[0-9a-fA-F:]+\]|[^:[\]]*):(\d{1,5})$/.exec(word) ?? [];
  const port = Number(digits);
  if (digits === '' || port > mostPort)
    throw new InvalidArgumentError(`Use HOST:PORT such as ${thisMachine}:${usualPort}; port 0 is any that is free.`);
  return { host: host.replace(/^\[|\]$/g, '') || thisMachine, port };
}

export interface Opened {
  readonly listening: Listening;
  /** What a person should know about it. */
  readonly note?: string;
}

export interface ListenOptions {
  /** Told when the files of the certificate have changed. */
  readonly onCertificate?: (text: string) => void;
}

export async function listenOn(source: Source, flags: ListenFlags, io: Io, more: ListenOptions = {}): Promise<Opened> {
  const { listen: wanted } = flags;
  const tokens = serverTokens(flags);
  const tls = certificateFiles(flags);
  const usual = io.port ?? usualPort;
  const assets = dashboardFolder();
  const options = {
    run: io.now().toString(36),
    tokens,
    ...more,
    ...(tls && { tls }),
    ...(assets !== undefined && { assets }),
  };
  try {
    return {
      listening: await openServer(source, { ...options, ...(wanted ?? { host: thisMachine, port: usual }) }),
    };
  } catch (error) {
    const isBusy = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (error instanceof CertificateError) throw wrongUsage(error.message);
    if (isBusy && wanted === undefined) return listenElsewhere(source, options, usual);
    const message = isBusy
      ? `Port ${wanted?.port} is busy. Name another with --listen.`
      : `${(error as Error).message} Name another place with --listen.`;
    throw new Failure([{ message }]);
  }
}

function certificateFiles({ tlsCertFile: certFile, tlsKeyFile: keyFile }: ListenFlags): CertificateFiles | undefined {
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  if (certFile === undefined && keyFile === undefined) return undefined;
  throw wrongUsage('TLS needs both --tls-cert-file and --tls-key-file.');
}

async function listenElsewhere(
  source: Source,
  options: Omit<ServerOptions, 'host' | 'port'>,
  usual: number,
): Promise<Opened> {
  const listening = await openServer(source, { ...options, host: thisMachine, port: 0 });
  const note = `Port ${usual} is busy, so it listens on ${listening.port}: ask it with --server ${listening.url}.`;
  return { listening, note };
}
