// Where can a running Lull be asked? Where it was told to listen, else at the usual place, or a free one where that is busy.
import { InvalidArgumentError } from 'commander';
import { type Listening, openServer } from '../server/server.ts';
import type { Source } from '../server/source.ts';
import { usualPort } from './askServer.ts';
import { dashboardFolder } from './dashboardFolder.ts';
import { Failure } from './failure.ts';
import type { Io } from './io.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

const mostPort = 65_535;
const thisMachine = '127.0.0.1';

/** `127.0.0.1:7727`, `[::1]:7727`, `:0` */
export function listenFlag(word: string): Address {
  const [, host = '', digits = ''] = /^(\[[0-9a-fA-F:]+\]|[^:[\]]*):(\d{1,5})$/.exec(word) ?? [];
  const port = Number(digits);
  if (digits === '' || port > mostPort)
    throw new InvalidArgumentError(`Use HOST:PORT such as ${thisMachine}:${usualPort}; port 0 is any that is free.`);
  return { host: host.replace(/^\[|\]$/g, '') || thisMachine, port };
}

export async function listenOn(source: Source, wanted: Address | undefined, io: Io): Promise<Listening> {
  const token = process.env.LULL_TOKEN;
  const assets = dashboardFolder();
  const options = { run: io.now().toString(36), ...(token && { token }), ...(assets !== undefined && { assets }) };
  try {
    return await openServer(source, { ...options, ...(wanted ?? { host: thisMachine, port: usualPort }) });
  } catch (error) {
    const isBusy = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (isBusy && wanted === undefined) return openServer(source, { ...options, host: thisMachine, port: 0 });
    const message = isBusy
      ? `Port ${wanted?.port} is busy. Name another with --listen.`
      : `${(error as Error).message} Name another place with --listen.`;
    throw new Failure([{ message }]);
  }
}
