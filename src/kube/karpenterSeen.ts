// Which Karpenter runs in the cluster, and whether the assumptions of role guide hold (N11), as far as visible from outside.
import { defined } from '../cluster/defined.ts';
import { type Json, listIn, mapIn } from '../kinds/read/reader.ts';
import { bodyOf, isAway } from './apiReply.ts';
import type { Client } from './client.ts';

export interface DetectedKarpenter {
  /** Whether the server answered at all. */
  readonly isAnswered: boolean;
  /** Versions of karpenter.sh that the server serves. */
  readonly apis: readonly string[];
  /** Present if there is one and it may be read. */
  readonly deployment?: KarpenterDeployment;
  readonly pools: number;
  /** Values of `karpenter.sh/nodepool-hash-version` on pools, with one pool for each. */
  readonly hashes: readonly { readonly version: string; readonly pool: string }[];
  /** API group of a node class whose provider numbers its releases independently of Karpenter's core; undefined if there is none. */
  readonly ownNumbers?: string;
  /** Pools whose current generation Karpenter has not processed yet, by name and generation. */
  readonly unanswered: readonly string[];
  /** Those of them that were unprocessed at the last check too: no controller is working. */
  readonly ignored: readonly string[];
}

interface KarpenterDeployment {
  readonly name: string;
  readonly version?: string;
  readonly wanted: number;
  readonly ready: number;
}

/** The version tested on a real control plane. */
const triedVersion = '1.15';
const knownMajor = '1';
const knownApi = 'v1';
/** NodePoolHashVersion of Karpenter 1.x: the nudge (N6) changes a hash of this form. */
const knownHash = 'v3';

/** Node classes of providers whose releases have the minor version of the core they contain. Others start at 0.1 with a core of 1.x. */
const numberedLikeCore: ReadonlySet<unknown> = new Set([
  'karpenter.k8s.aws',
  'karpenter.azure.com',
  'karpenter.kwok.sh',
]);

const hashVersionKey = 'karpenter.sh/nodepool-hash-version';
const labelSelector = 'app.kubernetes.io/name=karpenter';

/** `before` = the result of the check some minutes ago. */
export async function lookForKarpenter(client: Client, before?: DetectedKarpenter): Promise<DetectedKarpenter> {
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
    ...defined({ ownNumbers: listed.map(nodeClassGroupOf).find((it) => it && !numberedLikeCore.has(it)) }),
    unanswered,
    ignored: unanswered.filter((pool) => before?.unanswered.includes(pool)),
  };
}

/** Why Lull may not act beside this Karpenter, in sentences. Empty = it may. */
export function objectionsTo(seen: DetectedKarpenter): readonly string[] {
  const { apis, deployment, hashes, ignored, ownNumbers } = seen;
  if (apis.length === 0) return ['The API server does not serve karpenter.sh: Karpenter is not installed.'];
  if (!apis.includes(knownApi)) return [`The API server serves karpenter.sh/${apis.join(', ')}; Lull supports v1.`];
  const version = ownNumbers === undefined ? deployment?.version : undefined;
  const other = hashes.filter((hash) => hash.version !== knownHash);
  return [
    ...(version !== undefined && majorOf(version) !== knownMajor
      ? [`Karpenter ${version} is installed; Lull supports ${knownMajor}.x.`]
      : []),
    ...other.map((hash) => `NodePool ${hash.pool} has a hash of version ${hash.version}; Lull supports ${knownHash}.`),
    ...(deployment && deployment.ready === 0
      ? [
          `None of the ${deployment.wanted} desired pods of Deployment ${deployment.name} is ready: Karpenter is not running.`,
        ]
      : []),
    ...(!deployment && ignored[0] !== undefined
      ? [
          `No controller has processed the last change of NodePool ${ignored[0].replace(/@.*/, '')}: Karpenter is not running.`,
        ]
      : []),
  ];
}

/** One sentence about what was found. */
export function describeKarpenter({ apis, deployment, hashes, ownNumbers }: DetectedKarpenter): string {
  if (apis.length === 0) return 'No Karpenter found: the API server does not serve karpenter.sh.';
  const version = deployment?.version;
  const name = version === undefined ? 'Karpenter of unknown version' : `Karpenter ${version}`;
  const where = deployment
    ? `Deployment ${deployment.name}, ${deployment.ready} of ${deployment.wanted} ready`
    : 'no Deployment found, so Lull cannot tell whether it runs';
  const hash = hashes.length > 0 ? `, hash ${[...new Set(hashes.map(({ version }) => version))].join(' and ')}` : '';
  return `${name} (${where}), karpenter.sh/${apis.join(', ')}${hash}${ownNumbers === undefined ? untried(version) : ownNumber(version, ownNumbers)}`;
}

const untried = (version: string | undefined): string =>
  version === undefined || majorOf(version) !== knownMajor || `${version}.`.startsWith(`${triedVersion}.`)
    ? ''
    : `; Lull is tested with ${triedVersion}`;

const ownNumber = (version: string | undefined, group: string): string =>
  version === undefined ? '' : `; ${version} is the version of the provider of ${group}, its core is unknown`;

const majorOf = (version: string): string => version.split('.')[0] ?? '';

interface GetResult {
  readonly isAnswered: boolean;
  readonly body: Json;
}

/** An object that may not be read, or does not exist, gives an empty body. */
async function get(client: Client, path: string, query: Readonly<Record<string, string>> = {}): Promise<GetResult> {
  const reply = await client.request({ method: 'GET', path, query });
  return { isAnswered: !isAway(reply), body: bodyOf(reply) ?? {} };
}

function readDeployment({ metadata, spec, status }: Json): KarpenterDeployment {
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

function hashesOf(pools: readonly Json[]): DetectedKarpenter['hashes'] {
  const found = new Map<string, string>();
  for (const { metadata } of pools) {
    const { name, annotations } = mapIn(metadata);
    const version = mapIn(annotations)[hashVersionKey];
    if (typeof version === 'string' && !found.has(version)) found.set(version, String(name));
  }
  return [...found].map(([version, pool]) => ({ version, pool }));
}

function nodeClassGroupOf({ spec }: Json): string | undefined {
  const { group } = mapIn(mapIn(mapIn(mapIn(spec).template).spec).nodeClassRef);
  return typeof group === 'string' && group !== '' ? group : undefined;
}

/** Karpenter writes the observed generation into each condition. A pool without conditions has never been processed. */
function unansweredBy({ metadata, status }: Json): readonly string[] {
  const { name, generation } = mapIn(metadata);
  const said = listIn(mapIn(status), 'conditions')
    .filter(({ type }) => typeof type === 'string' && ownConditions.has(type))
    .map(({ observedGeneration }) => Number(observedGeneration ?? 0));
  return Math.max(0, ...said) < Number(generation ?? 0) ? [`${String(name)}@${String(generation)}`] : [];
}

/** Other controllers, Lull included, write conditions too. */
const ownConditions: ReadonlySet<string> = new Set(['Ready', 'ValidationSucceeded', 'NodeClassReady']);
