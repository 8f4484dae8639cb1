// As whom does a kubeconfig say we come? A certificate, a token, a file with one that changes, or a program that is asked.
import { resolve } from 'node:path';
import { isMap, type Json } from '../kinds/reader.ts';
import { after, asDuration, before, type Instant, minute, parseInstant, second } from '../time/instant.ts';
import { type Access, fixedIdentity, type Identity } from './access.ts';
import { type CredentialSource, type Entry, isText, type Program, pem } from './configEntry.ts';

type Identifying = Pick<Access, 'identify' | 'forget'>;

/** A token in a file is made anew every hour or so; this often it is looked at. */
const rereadEvery = minute;

/** A token that ends while a request is on its way is of no use. */
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

export const hasCredentials = ({ fields }: Entry): boolean =>
  credentialFields.some((name) => isText(fields[name]) || isMap(fields[name]));

export function identityFrom({ fields, folder }: Entry, source: CredentialSource, cluster: Entry): Identifying {
  if (isMap(fields['auth-provider'])) {
    const { name } = fields['auth-provider'];
    throw new Error(`The auth-provider ${String(name)} is no longer known to Kubernetes. Use its exec plugin.`);
  }
  const certificate = certificateOf(
    pem(fields, 'client-certificate', { folder, source }),
    pem(fields, 'client-key', { folder, source }),
  );
  const { token, tokenFile, username, password } = fields;
  if ((isText(token) || isText(tokenFile)) && (isText(username) || isText(password)))
    throw new Error('The user has a token and a password. Remove one of them: only one can be sent.');
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
  if (cert !== undefined)
    throw new Error('A client certificate is given without its key. Write client-key or client-key-data.');
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
  if (!isText(command)) throw new Error('The exec of a user names no command.');
  const given = (Array.isArray(env) ? env : []).filter(isMap).map(({ name, value }) => [String(name), String(value)]);
  const info = {
    apiVersion,
    kind: 'ExecCredential',
    // Nobody sits before a controller.
    spec: { interactive: false, ...(provideClusterInfo === true && { cluster }) },
  };
  return {
    command,
    args: Array.isArray(args) ? args.map(String) : [],
    env: { ...Object.fromEntries(given), KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    folder,
  };
}

/** What a plugin is told of the cluster; a certificate in a file is told as data, for the plugin runs elsewhere. */
function clusterInfo({ fields, folder }: Entry, source: CredentialSource): Json {
  const ca = pem(fields, 'certificate-authority', { folder, source });
  return {
    server: fields.server,
    'certificate-authority-data': ca === undefined ? undefined : Buffer.from(ca).toString('base64'),
    'tls-server-name': fields['tls-server-name'],
    'insecure-skip-tls-verify': fields['insecure-skip-tls-verify'],
  };
}

/** Asked once, by however many requests at once, until what it said ends or is not believed. */
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

/** The error of JSON.parse quotes what it read: here that is a token. */
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
  if (!isMap(status)) throw new Error(`${command} printed no ExecCredential with a status.`);
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp: end } = status;
  const certificate = certificateOf(isText(cert) ? cert : undefined, isText(key) ? key : undefined);
  return {
    identity: { ...certificate, ...(isText(token) && { authorization: `Bearer ${token}` }) },
    until: isText(end) ? parseInstant(end) : undefined,
  };
}
