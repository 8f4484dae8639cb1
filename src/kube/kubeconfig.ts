// Reads kubeconfig files as kubectl does: the cluster and the user of a context.
import { dirname, resolve } from 'node:path';
import { isMap, type Json } from '../kinds/read/reader.ts';
import { parseText } from '../kinds/text/documents.ts';
import { type ClusterAccess, impersonationIn, keepsSecrets } from './clusterAccess.ts';
import {
  type CredentialSource,
  hasCredentials,
  identityFrom,
  isText,
  type KubeconfigEntry,
  pem,
} from './credentials.ts';

interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

export interface ChosenContext {
  readonly access: ClusterAccess;
  readonly context: string;
  /** Present if the context has one. */
  readonly namespace?: string;
}

/** Neither the files nor the user name a current context. */
export class NoContextError extends Error {}

/** Of several files the first one with a name wins, as with kubectl. Absent context = the current one. Throws an Error with a message for the user. */
export function chooseContext(files: readonly ConfigFile[], source: CredentialSource, wanted?: string): ChosenContext {
  const configs = files.map(readConfig);
  const current = configs.map(({ config }) => config['current-context']).find((name) => isText(name));
  const name = wanted ?? current;
  if (!isText(name)) throw new NoContextError(`No context is chosen in ${names(files)}. Choose one with --context.`);
  const context = find(configs, { list: 'contexts', item: 'context' }, name);
  const cluster = find(configs, { list: 'clusters', item: 'cluster' }, String(context.fields.cluster));
  const user = isText(context.fields.user)
    ? find(configs, { list: 'users', item: 'user' }, context.fields.user)
    : { fields: {}, folder: context.folder };
  const { namespace } = context.fields;
  const reached = reach(cluster, source);
  if (!keepsSecrets(reached.server) && hasCredentials(user))
    throw new Error(
      `The credentials of user ${JSON.stringify(context.fields.user)} are not sent to ${reached.server.origin}, since the connection is not encrypted. Use an https:// address as the cluster's server, or a context without credentials.`,
    );
  const actsAs = impersonationIn(user.fields);
  return {
    access: { ...reached, ...(actsAs && { actsAs }), ...identityFrom(user, source, cluster) },
    context: name,
    ...(isText(namespace) && { namespace }),
  };
}

interface Config {
  readonly config: Json;
  readonly folder: string;
  readonly path: string;
}

function readConfig({ path, text }: ConfigFile): Config {
  const { values, errors } = parseText(text);
  const [error] = errors;
  // The message may quote its input, which may be a password here.
  if (error)
    throw new Error(`${path}:${error.line} This is not valid YAML. Check indentation, quotes and brackets there.`);
  const config = values[0]?.value ?? {};
  if (!isMap(config)) throw new Error(`${path} is not a kubeconfig.`);
  return { config, folder: dirname(resolve(path)), path };
}

interface EntryKind {
  readonly list: 'contexts' | 'clusters' | 'users';
  readonly item: 'context' | 'cluster' | 'user';
}

function find(configs: readonly Config[], { list, item }: EntryKind, name: string): KubeconfigEntry {
  for (const { config, folder } of configs) {
    const entries = Array.isArray(config[list]) ? (config[list] as unknown[]) : [];
    const entry = entries.find((each): each is Json => isMap(each) && each.name === name);
    if (entry) return { fields: isMap(entry[item]) ? entry[item] : {}, folder };
  }
  throw new Error(`There is no ${item} ${JSON.stringify(name)} in ${names(configs)}.`);
}

const names = (files: readonly { readonly path: string }[]): string =>
  files.map(({ path }) => path).join(', ') || 'any kubeconfig';

function reach({ fields, folder }: KubeconfigEntry, source: CredentialSource): Pick<ClusterAccess, 'server' | 'tls'> {
  const { 'tls-server-name': servername, 'proxy-url': proxy, 'insecure-skip-tls-verify': insecure = false } = fields;
  const server = addressIn(fields);
  // Not quoted: it may contain a password.
  if (isText(proxy)) throw new Error('The cluster has a proxy-url, and Lull does not support proxies. Remove it.');
  const ca = pem(fields, 'certificate-authority', { folder, source });
  if (typeof insecure !== 'boolean')
    throw new Error(`The cluster's insecure-skip-tls-verify must be true or false: ${JSON.stringify(insecure)}`);
  if (insecure && ca !== undefined)
    throw new Error('The cluster has a certificate-authority and insecure-skip-tls-verify. Remove one of them.');
  return {
    server,
    tls: {
      ...(ca !== undefined && { ca }),
      ...(isText(servername) && { servername }),
      ...(insecure && { rejectUnauthorized: false }),
    },
  };
}

function addressIn({ server }: Json): URL {
  const url = isText(server) ? URL.parse(server) : null;
  if (!url) throw new Error(`The cluster's server is not a valid URL: ${String(server).replace(/.*@/, '…@')}`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new Error(`The cluster's server has the unsupported scheme ${url.protocol}//. Use an https:// address.`);
  if (url.username !== '' || url.password !== '')
    throw new Error(
      `The cluster's server at ${url.host} has a user or password in its URL. Move them to the user of the context.`,
    );
  return url;
}
