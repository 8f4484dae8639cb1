// Reads Karpenter's metrics: which instance types it may launch, where, and at what price (F5). Bounded; never throws.
import type { InstanceType } from '../cluster/settings.ts';
import { MetricsReader } from '../kinds/catalogue.ts';
import { listIn, mapIn } from '../kinds/read/reader.ts';
import { asDuration, second } from '../time/instant.ts';
import { bodyOf } from './apiReply.ts';
import { type Client, openClient } from './client.ts';
import { fixedIdentity } from './clusterAccess.ts';
import { steadyClock } from './machine.ts';

interface TypesRequest {
  /** The setting `karpenterMetrics`. */
  readonly where: string;
  /** The client of the API server. */
  readonly client: Client;
  /** Lull runs in a pod of the cluster: Services can be reached by name. */
  readonly isInside: boolean;
}

/** `why`: why it failed, as a sentence fragment. */
export type TypesRead = { readonly types: readonly InstanceType[]; readonly from: string } | { readonly why: string };

const answerWithin = asDuration(10 * second);
/** With a series for each of 100,000 pods Karpenter prints about 50 MB. */
const longestText = 128 * 2 ** 20;
/** Only the leading replica has prices; a Service forwards to one replica after another. */
const tries = 4;

const labelSelector = 'app.kubernetes.io/name=karpenter';
const portName = 'http-metrics';

export async function readKarpenterTypes(asking: TypesRequest): Promise<TypesRead> {
  const place = await placeOf(asking);
  if ('why' in place) return place;
  let last: TypesRead = { why: 'Karpenter was not queried' };
  for (let count = 0; count < tries; count++) {
    last = await readOnce(place);
    // A server that does not answer will not do so at once; one without prices may not be the leader.
    if ('types' in last || !last.why.startsWith(noPrices)) return last;
  }
  return last;
}

const noPrices = 'no prices';

/** Where to read the metrics. */
interface MetricsEndpoint {
  readonly path: string;
  readonly from: string;
  readonly open: () => { readonly client: Client; readonly close: () => void };
}

async function placeOf({ where, client, isInside }: TypesRequest): Promise<MetricsEndpoint | { readonly why: string }> {
  if (where !== 'auto') return at(where);
  const service = await findService(client);
  if ('why' in service) return service;
  const { namespace, name, port } = service;
  if (isInside) return at(`http://${name}.${namespace}.svc:${port}/metrics`);
  const path = `/api/v1/namespaces/${namespace}/services/http:${name}:${port}/proxy/metrics`;
  const from = `Service ${namespace}/${name} through the API server`;
  return { path, from, open: () => ({ client, close: () => undefined }) };
}

function at(address: string): MetricsEndpoint | { readonly why: string } {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url) return { why: `${address} is not a valid URL` };
  const { pathname, search } = url;
  const path = pathname === '/' && search === '' ? '/metrics' : `${pathname}${search}`;
  const open = () => {
    // A new connection each time, so that another replica may answer.
    const client = openClient({ server: new URL(url.origin), tls: {}, ...fixedIdentity({}) }, steadyClock);
    return { client, close: () => client.close() };
  };
  return { path, from: `${url.origin}${path}`, open };
}

interface MetricsService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

async function findService(client: Client): Promise<MetricsService | { readonly why: string }> {
  const query = { labelSelector, limit: '20' };
  const reply = await client.request({ method: 'GET', path: '/api/v1/services', query, timeout: answerWithin });
  if (reply.kind === 'silence') return { why: reply.message };
  if (reply.code !== 200) return { why: `Lull may not list Services (${reply.code})` };
  for (const { metadata, spec } of listIn(bodyOf(reply), 'items')) {
    const { namespace, name } = mapIn(metadata);
    const port = listIn(mapIn(spec), 'ports').find((it) => it.name === portName)?.port;
    if (typeof namespace === 'string' && typeof name === 'string' && typeof port === 'number')
      return { namespace, name, port };
  }
  return { why: `no Service with the label ${labelSelector} and a port ${portName} was found` };
}

async function readOnce({ path, from, open }: MetricsEndpoint): Promise<TypesRead> {
  const { client, close } = open();
  const reader = new MetricsReader();
  let length = 0;
  const stream = client.stream(
    { method: 'GET', path, idle: answerWithin, timeout: answerWithin },
    {
      onOpen: () => undefined,
      onLine: (line) => {
        length += line.length;
        if (length > longestText) stream.cut(`it is longer than ${longestText / 2 ** 20} MiB`);
        else reader.read(line);
      },
    },
  );
  const timer = steadyClock.in(answerWithin, () =>
    stream.cut(`no complete response within ${answerWithin / second} s`),
  );
  const end = await stream.end;
  timer.cancel();
  close();
  if (end.kind === 'refused') return { why: `${from} answers ${end.code}` };
  if (end.kind === 'broken') return { why: `${from}: ${end.message}` };
  const types = reader.types();
  return types.length > 0 ? { types, from } : { why: `${noPrices} of instance types in the metrics of ${from}` };
}
