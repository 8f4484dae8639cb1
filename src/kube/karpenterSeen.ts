// Which Karpenter works in the cluster, and do the facts hold that guide rests on (N11)? As far as can be seen from outside.
import { isMap, type Json } from '../kinds/reader.ts';
import type { Client } from './client.ts';

export interface KarpenterSeen {
  /** The server said something at all. */
  readonly isAnswered: boolean;
  /** Versions of karpenter.sh that the server serves. */
  readonly apis: readonly string[];
  /** Where there is one, and it may be read. */
  readonly deployment?: SeenDeployment;
  readonly pools: number;
  /** `karpenter.sh/nodepool-hash-version` as it stands on pools, with one that has it. */
  readonly hashes: readonly { readonly version: string; readonly pool: string }[];
  /** Pools in a state that Karpenter has not answered to yet, by name and generation. */
  readonly unanswered: readonly string[];
  /** Those of them that were so when it was looked for the last time: nobody is at work. */
  readonly ignored: readonly string[];
}

interface SeenDeployment {
  readonly name: string;
  readonly version?: string;
  readonly wanted: number;
  readonly ready: number;
}

/** What was tried on a real control plane. */
const triedVersion = '1.15';
const knownMajor = '1';
const knownApi = 'v1';
/** NodePoolHashVersion of Karpenter 1.x: what the nudge (N6) changes is a hash of this form. */
const knownHash = 'v3';

const hashVersionKey = 'karpenter.sh/nodepool-hash-version';
const labelSelector = 'app.kubernetes.io/name=karpenter';

/** `before` = what was seen some minutes ago. */
export async function lookForKarpenter(client: Client, before?: KarpenterSeen): Promise<KarpenterSeen> {
  const group = await get(client, '/apis/karpenter.sh');
  const apis = listIn(group.body, 'versions').flatMap(({ version }) => (typeof version === 'string' ? [version] : []));
  const [deployments, pools] = await Promise.all([
    get(client, '/apis/apps/v1/deployments', { labelSelector, limit: '5' }),
    apis.includes(knownApi) ? get(client, '/apis/karpenter.sh/v1/nodepools', { limit: '500' }) : undefined,
  ]);
  const [deployment] = listIn(deployments.body, 'items').map(readDeployment);
  const listed = listIn(pools?.body, 'items');
  const unanswered = listed.flatMap(unansweredBy);
  return {
    isAnswered: group.isAnswered,
    apis,
    ...(deployment && { deployment }),
    pools: listed.length,
    hashes: hashesOf(listed),
    unanswered,
    ignored: unanswered.filter((pool) => before?.unanswered.includes(pool)),
  };
}

/** Why Lull may not act beside this one, in sentences. Empty = it may. */
export function objectionsTo(seen: KarpenterSeen): readonly string[] {
  const { apis, deployment, hashes, ignored } = seen;
  if (apis.length === 0) return ['The server knows nothing of karpenter.sh: Karpenter is not installed here.'];
  if (!apis.includes(knownApi)) return [`Karpenter serves karpenter.sh/${apis.join(', ')} here, and Lull knows v1.`];
  const version = deployment?.version;
  const other = hashes.filter((hash) => hash.version !== knownHash);
  return [
    ...(version !== undefined && majorOf(version) !== knownMajor
      ? [`Karpenter ${version} is here, and Lull knows ${knownMajor}.x.`]
      : []),
    ...other.map(
      (hash) => `NodePool ${hash.pool} carries a hash of version ${hash.version}, and Lull knows ${knownHash}.`,
    ),
    ...(deployment && deployment.ready === 0
      ? [`None of the ${deployment.wanted} wanted pods of Deployment ${deployment.name} is ready: Karpenter is away.`]
      : []),
    ...(!deployment && ignored[0] !== undefined
      ? [`Nobody has answered to NodePool ${ignored[0].replace(/@.*/, '')} since it was changed: Karpenter is away.`]
      : []),
  ];
}

/** Which it is, in one sentence. */
export function sayKarpenter({ apis, deployment, hashes }: KarpenterSeen): string {
  if (apis.length === 0) return 'No Karpenter is seen: the server knows nothing of karpenter.sh.';
  const name =
    deployment?.version === undefined
      ? 'Karpenter of a version that cannot be told'
      : `Karpenter ${deployment.version}`;
  const where = deployment
    ? `Deployment ${deployment.name}, ${deployment.ready} of ${deployment.wanted} ready`
    : 'no Deployment of it is seen, so that it cannot be told whether it is alive';
  const hash = hashes.length > 0 ? `, hash ${[...new Set(hashes.map(({ version }) => version))].join(' and ')}` : '';
  return `${name} (${where}), karpenter.sh/${apis.join(', ')}${hash}${untried(deployment?.version)}`;
}

const untried = (version: string | undefined): string =>
  version === undefined || majorOf(version) !== knownMajor || `${version}.`.startsWith(`${triedVersion}.`)
    ? ''
    : `; Lull was tried with ${triedVersion}`;

const majorOf = (version: string): string => version.split('.')[0] ?? '';

interface Got {
  readonly isAnswered: boolean;
  readonly body: Json;
}

/** What may not be read, or is not there, is simply not seen. */
async function get(client: Client, path: string, query: Readonly<Record<string, string>> = {}): Promise<Got> {
  const reply = await client.request({ method: 'GET', path, query });
  if (reply.kind === 'silence' || reply.code >= 500 || reply.code === 429) return { isAnswered: false, body: {} };
  return { isAnswered: true, body: reply.code === 200 && isMap(reply.body) ? reply.body : {} };
}

function listIn(body: Json | undefined, field: string): readonly Json[] {
  const list = body?.[field];
  return Array.isArray(list) ? list.filter(isMap) : [];
}

function readDeployment({ metadata, spec, status }: Json): SeenDeployment {
  const { namespace, name, labels } = mapIn(metadata);
  const version = versionOf(mapIn(labels)['app.kubernetes.io/version']) ?? versionOf(tagOf(spec));
  return {
    name: `${String(namespace)}/${String(name)}`,
    ...(version !== undefined && { version }),
    wanted: Number(mapIn(spec).replicas ?? 1),
    ready: Number(mapIn(status).readyReplicas ?? 0),
  };
}

/** `registry/karpenter/controller:1.15.0@sha256:…` */
function tagOf(spec: unknown): unknown {
  const pod = mapIn(mapIn(mapIn(spec).template).spec);
  const [container] = listIn(pod, 'containers');
  const image = container?.image;
  return typeof image === 'string' ? /:([^:/@]+)(@|$)/.exec(image)?.[1] : undefined;
}

const versionOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? /^v?(\d+\.\d+(\.\d+)?([-+.].*)?)$/.exec(value)?.[1] : undefined;

function hashesOf(pools: readonly Json[]): KarpenterSeen['hashes'] {
  const found = new Map<string, string>();
  for (const { metadata } of pools) {
    const { name, annotations } = mapIn(metadata);
    const version = mapIn(annotations)[hashVersionKey];
    if (typeof version === 'string' && !found.has(version)) found.set(version, String(name));
  }
  return [...found].map(([version, pool]) => ({ version, pool }));
}

/** Karpenter says with each condition which generation it means. A pool without any has never been looked at. */
function unansweredBy({ metadata, status }: Json): readonly string[] {
  const { name, generation } = mapIn(metadata);
  const said = listIn(mapIn(status), 'conditions')
    .filter(({ type }) => typeof type === 'string' && ownConditions.has(type))
    .map(({ observedGeneration }) => Number(observedGeneration ?? 0));
  return Math.max(0, ...said) < Number(generation ?? 0) ? [`${String(name)}@${String(generation)}`] : [];
}

/** Others, Lull among them, write conditions too. */
const ownConditions: ReadonlySet<string> = new Set(['Ready', 'ValidationSucceeded', 'NodeClassReady']);

const mapIn = (value: unknown): Json => (isMap(value) ? value : {});
