// Reads Karpenter's metrics: which instance types it may launch, where, and at what price (F5). Bounded, and never thrown.
import type { InstanceType } from '../cluster/settings.ts';
import { MetricsReader } from '../kinds/karpenterMetrics.ts';
import { isMap, type Json } from '../kinds/reader.ts';
import { asDuration, second } from '../time/instant.ts';
import { fixedIdentity } from './access.ts';
import { type Client, openClient } from './client.ts';
import { steadyClock } from './machine.ts';

export interface Asking {
  /** The setting `karpenterMetrics`. */
  readonly where: string;
  /** Of the API server. */
  readonly client: Client;
  /** Services have addresses here: we run in a pod of the cluster. */
  readonly isInside: boolean;
}

/** `why`: what stood in the way, in a sentence. */
export type TypesRead = { readonly types: readonly InstanceType[]; readonly from: string } | { readonly why: string };

const answerWithin = asDuration(10 * second);
/** With a series for each of 100,000 pods Karpenter prints some 50 MB. */
const longestText = 128 * 2 ** 20;
/** Of several replicas only the one that leads has prices; a Service gives one after another. */
const tries = 4;

const labelSelector = 'app.kubernetes.io/name=karpenter';
const portName = 'http-metrics';

export async function readKarpenterTypes(asking: Asking): Promise<TypesRead> {
  const place = await placeOf(asking);
  if ('why' in place) return place;
  let last: TypesRead = { why: 'Karpenter was not asked' };
  for (let count = 0; count < tries; count++) {
    last = await readOnce(place);
    // Who does not answer will not do so at once; who has no prices may not be the one that leads.
    if ('types' in last || !last.why.startsWith(noPrices)) return last;
  }
  return last;
}

const noPrices = 'no prices';

/** Whom to ask, and where. */
interface MetricsPlace {
  readonly path: string;
  readonly from: string;
  readonly open: () => { readonly client: Client; readonly close: () => void };
}

async function placeOf({ where, client, isInside }: Asking): Promise<MetricsPlace | { readonly why: string }> {
  if (where !== 'auto') return at(where);
  const service = await findService(client);
  if ('why' in service) return service;
  const { namespace, name, port } = service;
  if (isInside) return at(`http://${name}.${namespace}.svc:${port}/metrics`);
  const path = `/api/v1/namespaces/${namespace}/services/http:${name}:${port}/proxy/metrics`;
  const from = `Service ${namespace}/${name} through the API server`;
  return { path, from, open: () => ({ client, close: () => undefined }) };
}

function at(address: string): MetricsPlace | { readonly why: string } {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url) return { why: `${address} is no URL` };
  const { pathname, search } = url;
  const path = pathname === '/' && search === '' ? '/metrics' : `${pathname}${search}`;
  const open = () => {
    // Another connection each time, so that another replica may answer.
    const client = openClient({ server: new URL(url.origin), tls: {}, ...fixedIdentity({}) }, steadyClock);
    return { client, close: () => client.close() };
  };
  return { path, from: `${url.origin}${path}`, open };
}

interface Found {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

async function findService(client: Client): Promise<Found | { readonly why: string }> {
  const query = { labelSelector, limit: '20' };
  const reply = await client.request({ method: 'GET', path: '/api/v1/services', query, timeout: answerWithin });
  if (reply.kind === 'silence') return { why: reply.message };
  if (reply.code !== 200) return { why: `Services may not be listed here (${reply.code})` };
  const items = isMap(reply.body) && Array.isArray(reply.body.items) ? reply.body.items.filter(isMap) : [];
  for (const { metadata, spec } of items) {
    const { namespace, name } = mapIn(metadata);
    const port = portsIn(mapIn(spec)).find((it) => it.name === portName)?.port;
    if (typeof namespace === 'string' && typeof name === 'string' && typeof port === 'number')
      return { namespace, name, port };
  }
  return { why: `no Service with the label ${labelSelector} and a port ${portName} is seen` };
}

const mapIn = (value: unknown): Json => (isMap(value) ? value : {});
const portsIn = ({ ports }: Json): readonly Json[] => (Array.isArray(ports) ? ports.filter(isMap) : []);

async function readOnce({ path, from, open }: MetricsPlace): Promise<TypesRead> {
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
  const timer = steadyClock.in(answerWithin, () => stream.cut(`no whole answer within ${answerWithin / second} s`));
  const end = await stream.end;
  timer.cancel();
  close();
  if (end.kind === 'refused') return { why: `${from} answers ${end.code}` };
  if (end.kind === 'broken') return { why: `${from}: ${end.message}` };
  const types = reader.types();
  return types.length > 0 ? { types, from } : { why: `${noPrices} of instance types are in the metrics of ${from}` };
}
