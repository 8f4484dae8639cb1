// The credentials of a kubeconfig user: a certificate, a token, a token file, or an exec plugin.
import { resolve } from 'node:path';
import { isMap, type Json } from '../kinds/read/reader.ts';
import { after, asDuration, before, type Instant, minute, parseInstant, second } from '../time/instant.ts';
import { type ClusterAccess, fixedIdentity, type Identity } from './clusterAccess.ts';

/** An entry of a kubeconfig, and the folder to which its paths are relative. */
export interface KubeconfigEntry {
  readonly fields: Json;
  readonly folder: string;
}

/** What credentials are read from. */
export interface CredentialSource {
  readonly now: () => Instant;
  readFile(path: string): string;
  /** Runs a program and returns its output. */
  run(program: Program): Promise<string>;
}

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The folder to which a relative command path refers. */
  readonly folder: string;
}

/** `name-data` in base64, which takes precedence, or `name` as a path. */
export function pem(
  fields: Json,
  name: string,
  { folder, source }: { readonly folder: string; readonly source: CredentialSource },
): string | undefined {
  const data = fields[`${name}-data`];
  if (isText(data)) return Buffer.from(data, 'base64').toString('utf8');
  const path = fields[name];
  return isText(path) ? source.readFile(resolve(folder, path)) : undefined;
}

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

type Identifying = Pick<ClusterAccess, 'identify' | 'forget'>;

/** A token in a file is renewed about every hour; the file is read this often. */
const rereadEvery = minute;

/** A token must not expire while a request is in flight. */
const renewBefore = asDuration(30 * second);

const credentialFields = [
  'token',
  'tokenFile',
  'username',
  'password',
  'client-certificate',
  'client-certificate-data',
  'client-key',
  'client-key-data',
  'exec',
  'auth-provider',
];

export const hasCredentials = ({ fields }: KubeconfigEntry): boolean =>
  credentialFields.some((name) => isText(fields[name]) || isMap(fields[name]));

export function identityFrom(
  { fields, folder }: KubeconfigEntry,
  source: CredentialSource,
  cluster: KubeconfigEntry,
): Identifying {
  if (isMap(fields['auth-provider'])) {
    const { name } = fields['auth-provider'];
    throw new Error(`Kubernetes no longer supports the auth-provider ${String(name)}. Use its exec plugin.`);
  }
  const certificate = certificateOf(
    pem(fields, 'client-certificate', { folder, source }),
    pem(fields, 'client-key', { folder, source }),
  );
  const { token, tokenFile, username, password } = fields;
  if ((isText(token) || isText(tokenFile)) && (isText(username) || isText(password)))
    throw new Error('The user has a token and a password, and only one can be sent. Remove one of them.');
  if (isText(tokenFile)) return fromFile(resolve(folder, tokenFile), source, certificate);
  if (isText(token)) return fixedIdentity({ ...certificate, authorization: `Bearer ${token}` });
  if (isText(username) || isText(password)) {
    const pair = Buffer.from(`${String(username ?? '')}:${String(password ?? '')}`).toString('base64');
    return fixedIdentity({ ...certificate, authorization: `Basic ${pair}` });
  }
  if (isMap(fields.exec)) return fromProgram(programOf(fields.exec, folder, clusterInfo(cluster, source)), source);
  return fixedIdentity(certificate);
}

function certificateOf(cert: string | undefined, key: string | undefined): Identity {
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert !== undefined) throw new Error('The client certificate has no key. Add client-key or client-key-data.');
  return {};
}

export function fromFile(path: string, source: CredentialSource, certificate: Identity = {}): Identifying {
  let known: { readonly identity: Identity; readonly until: Instant } | undefined;
  return {
    identify: async () => {
      if (known && source.now() < known.until) return known.identity;
      const identity = { ...certificate, authorization: `Bearer ${source.readFile(path).trim()}` };
      known = { identity, until: after(source.now(), rereadEvery) };
      return identity;
    },
    forget: () => {
      known = undefined;
      return true;
    },
  };
}

function programOf(exec: Json, folder: string, cluster: Json): Program {
  const { command, args, env, apiVersion, provideClusterInfo } = exec;
  if (!isText(command)) throw new Error("The user's exec has no command.");
  const given = (Array.isArray(env) ? env : []).filter(isMap).map(({ name, value }) => [String(name), String(value)]);
  const info = {
    apiVersion,
    kind: 'ExecCredential',
    // A controller has no terminal for input.
    spec: { interactive: false, ...(provideClusterInfo === true && { cluster }) },
  };
  return {
    command,
    args: Array.isArray(args) ? args.map(String) : [],
    env: { ...Object.fromEntries(given), KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    folder,
  };
}

/** The cluster's data for a plugin. A certificate file is passed as data, since the plugin may run in another folder. */
function clusterInfo({ fields, folder }: KubeconfigEntry, source: CredentialSource): Json {
  const ca = pem(fields, 'certificate-authority', { folder, source });
  return {
    server: fields.server,
    'certificate-authority-data': ca === undefined ? undefined : Buffer.from(ca).toString('base64'),
    'tls-server-name': fields['tls-server-name'],
    'insecure-skip-tls-verify': fields['insecure-skip-tls-verify'],
  };
}

/** Runs the plugin once for any number of concurrent requests, until its credential expires or is rejected. */
function fromProgram(program: Program, source: CredentialSource): Identifying {
  let asked: Promise<Credential> | undefined;
  const ask = (): Promise<Credential> => {
    const answer = source.run(program).then((text) => readCredential(text, program.command));
    answer.catch(() => {
      asked = undefined;
    });
    asked = answer;
    return answer;
  };
  return {
    identify: async () => {
      const { identity, until } = await (asked ?? ask());
      if (until === undefined || source.now() < before(until, renewBefore)) return identity;
      return (await ask()).identity;
    },
    forget: () => {
      asked = undefined;
      return true;
    },
  };
}

interface Credential {
  readonly identity: Identity;
  readonly until: Instant | undefined;
}

/** JSON.parse's error message quotes its input, which may be a token here. */
function parse(text: string, command: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${command} did not print JSON. It must print an ExecCredential.`);
  }
}

function readCredential(text: string, command: string): Credential {
  const credential = parse(text, command);
  const status = isMap(credential) ? credential.status : undefined;
  if (!isMap(status)) throw new Error(`${command} did not print an ExecCredential with a status.`);
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp: end } = status;
  const certificate = certificateOf(isText(cert) ? cert : undefined, isText(key) ? key : undefined);
  return {
    identity: { ...certificate, ...(isText(token) && { authorization: `Bearer ${token}` }) },
    until: isText(end) ? parseInstant(end) : undefined,
  };
}
