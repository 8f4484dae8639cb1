// Runs one check of a HealthGate, with its credentials, within its deadline. Nothing here throws (O1).
import type { CheckResult, HealthCheck } from '../cluster/healthGateRecord.ts';
import { mapIn } from '../kinds/read/reader.ts';
import { bodyOf, sayReply } from '../kube/apiReply.ts';
import { type Client, openClient } from '../kube/client.ts';
import { chooseContext } from '../kube/kubeconfig.ts';
import { steadyClock, wallClock } from '../kube/machine.ts';
import { asDuration, second } from '../time/instant.ts';
import { fetchUrl } from './fetchUrl.ts';
import { checkObjects } from './objectCheck.ts';
import { type AskUrl, checkAlerts, checkHttp, checkPrometheus, unknown } from './urlChecks.ts';

export interface ProbeContext {
  readonly client: Pick<Client, 'request'>;
  /** Where the Secrets are. */
  readonly namespace: string;
  /** Ends the check early. */
  readonly signal: AbortSignal;
}

/** For all requests of a check together. */
export const checkWithin = asDuration(10 * second);

export async function runCheck(check: HealthCheck, context: ProbeContext): Promise<CheckResult> {
  if (check.type === 'manual')
    return { health: check.healthy ? 'Healthy' : 'Unhealthy', message: check.message ?? 'switched by hand' };
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(checkWithin)]);
  try {
    return await Promise.race([ask(check, { ...context, signal }), untilAborted(signal)]);
  } catch (error) {
    return unknown(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
  }
}

const untilAborted = (signal: AbortSignal): Promise<CheckResult> =>
  new Promise((done) => {
    signal.addEventListener('abort', () => done(unknown('it did not answer in time')), { once: true });
  });

async function ask(check: Exclude<HealthCheck, { type: 'manual' }>, context: ProbeContext): Promise<CheckResult> {
  if (check.type === 'object') {
    if (check.kubeconfigSecret === undefined) return checkObjects(check, context.client);
    return askOther(check, await readSecret(check.kubeconfigSecret, context));
  }
  const secret = check.secret === undefined ? {} : await readSecret(check.secret, context);
  if (
    Object.keys(secret).length > 0 &&
    check.url.startsWith('http:') &&
    (secret.token ?? secret.password) !== undefined
  )
    return unknown('credentials are sent to https only');
  const { 'ca.crt': ca, 'tls.crt': cert, 'tls.key': key } = secret;
  const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  const askUrl: AskUrl = (url, accepts) =>
    fetchUrl({ url, headers: headersOf(secret), tls, signal: context.signal, ...(accepts && { accepts }) });
  if (check.type === 'http') return checkHttp(check, askUrl);
  return check.type === 'prometheus' ? checkPrometheus(check, askUrl) : checkAlerts(check, askUrl);
}

async function askOther(check: Parameters<typeof checkObjects>[0], secret: Secret): Promise<CheckResult> {
  const { access } = chooseContext([{ path: 'the Secret', text: secret.kubeconfig ?? '' }], noMachine);
  const client = openClient(access, steadyClock);
  try {
    return await checkObjects(check, client);
  } finally {
    client.close();
  }
}

/** A kubeconfig from a Secret runs no programs and reads no files here. */
const noMachine = {
  now: () => wallClock.now,
  readFile: (): never => {
    throw new Error('The kubeconfig refers to a file. Put the data into it.');
  },
  run: async (): Promise<never> => {
    throw new Error('The kubeconfig runs a program for its credentials. Use a token or a certificate.');
  },
};

type Secret = Readonly<Record<string, string>>;

async function readSecret(name: string, { client, namespace }: ProbeContext): Promise<Secret> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;
  const reply = await client.request({ method: 'GET', path });
  const body = bodyOf(reply);
  if (!body) throw new Error(`Secret ${namespace}/${name} cannot be read: ${sayReply(reply)}`);
  const data = Object.entries(mapIn(body.data));
  return Object.fromEntries(
    data.map(([key, value]) => [key, Buffer.from(String(value), 'base64').toString('utf8').trim()]),
  );
}

function headersOf({ token, username, password }: Secret): Record<string, string> {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  if (username === undefined || password === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
