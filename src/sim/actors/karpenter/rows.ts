// Karpenter's own bookkeeping: pool hashes, drift, expiry, and the pruning of unknown NodePool fields.

import { annotation } from '../../../cluster/names.ts';
import { matchesAll } from '../../../cluster/selector.ts';
import { disruptionFields, poolDefinitionName, without, withoutAdded } from '../../../kinds/read/addedFields.ts';
import { readObject } from '../../../kinds/readObject.ts';
import { parseDuration } from '../../../time/duration.ts';
import { after, parseInstant, second } from '../../../time/instant.ts';
import type { Json, KubeObject, Texts } from '../../kubeObject.ts';
import type { Objects } from '../../objects.ts';
import type { World } from '../../world.ts';
import { type ActorRow, change, type RowCondition, remove } from '../actor.ts';
import {
  conditionOf,
  poolOf,
  type RawClaim,
  type RawPool,
  type StatusCondition,
  withConditions,
} from '../rawObjects.ts';

export function keepPoolSchema(objects: Objects): void {
  let keepsFields = true;
  const learn = (definition: KubeObject | undefined): void => {
    const read = readObject(definition);
    keepsFields = read.kind !== 'CustomResourceDefinition' || read.record.keepsFields;
  };
  objects.onChange(({ object, type }) => {
    if (object.kind === 'CustomResourceDefinition' && object.metadata.name === poolDefinitionName)
      learn(type === 'DELETED' ? undefined : object);
  });
  objects.prune = (object) => (object.kind === 'NodePool' && !keepsFields ? pruned(object) : object);
}

function pruned(pool: KubeObject): KubeObject {
  const disruption = pool.spec?.disruption as Json | undefined;
  if (!disruption) return pool;
  const rest = without(disruption, disruptionFields);
  const kept = rest.budgets === undefined ? rest : { ...rest, budgets: withoutAdded(rest.budgets) };
  return { ...pool, spec: { ...pool.spec, disruption: kept } };
}

const version = 'v3';

/** The hash annotations of a pool and of the claims created from it. */
export function hashesOf({ spec }: RawPool): Texts {
  const { metadata, spec: template } = spec?.template ?? {};
  const { requirements: _, resources: __, ...fields } = template ?? {};
  const text = canonical({ labels: metadata?.labels, annotations: metadata?.annotations, ...fields });
  return { [annotation.poolHash]: String(sum(text)), [annotation.poolHashVersion]: version };
}

/** Ignores the order of fields and of list items, and leaves out empty values. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? '';
  const entries = Object.entries(value).map(([key, inside]) => [key, canonical(inside)] as const);
  const kept = entries
    .filter(([, text]) => text !== '' && text !== '{}' && text !== '[]')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${kept.map(([key, text]) => `${key}:${text}`).join()}}`;
}

/** FNV-1a. */
function sum(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}

const by = 'karpenter';
const stays: RowCondition = { lacks: 'metadata.deletionTimestamp' };

/** In seconds after the change. */
const driftDelay = [0.1, 0.2] as const;

export const karpenterRows: readonly ActorRow[] = [
  {
    name: 'a pool carries the hash of its template',
    by,
    kind: 'NodePool',
    when: [stays, { so: 'its hash is not that of its template', holds: (pool) => !carriesHash(pool) }],
    after: [0, 0],
    becomes: ({ metadata }) => [
      change('NodePool', metadata.name, (pool) => ({
        ...pool,
        metadata: { ...pool.metadata, annotations: { ...pool.metadata.annotations, ...hashesOf(pool) } },
      })),
    ],
  },
  {
    name: 'a claim that is not what its pool asks for is Drifted',
    by,
    kind: 'NodeClaim',
    when: [
      stays,
      { condition: 'Launched', is: 'True' },
      { condition: 'Drifted', isNot: 'True' },
      { so: 'it differs', holds: (claim, world) => driftOf(claim, world) !== undefined },
    ],
    also: { NodePool: claimsOf },
    after: driftDelay,
    becomes: (claim, world) => {
      const reason = driftOf(claim, world) ?? '';
      return [
        change('NodeClaim', claim.metadata.name, (it) =>
          withConditions(it, world.clock.now, [{ type: 'Drifted', status: 'True', reason, message: reason }]),
        ),
      ];
    },
  },
  {
    name: 'a claim that is again what its pool asks for is not',
    by,
    kind: 'NodeClaim',
    when: [
      stays,
      { condition: 'Drifted', is: 'True' },
      {
        so: 'Karpenter found that it differs, and it no longer does',
        holds: (claim, world) => foundByKarpenter(claim, world) && driftOf(claim, world) === undefined,
      },
    ],
    also: { NodePool: claimsOf },
    after: driftDelay,
    becomes: ({ metadata }) => [change('NodeClaim', metadata.name, (it) => withoutCondition(it, 'Drifted'))],
  },
  {
    // At exactly that age: no annotation, budget or pod delays it.
    name: 'a claim that has expired is deleted',
    by,
    kind: 'NodeClaim',
    when: [stays, { so: 'it expires', holds: (claim) => lifetimeOf(claim) !== undefined }],
    after: (claim, { clock }) => {
      const born = parseInstant(claim.metadata.creationTimestamp ?? '') ?? clock.now;
      const left = Math.max(0, (after(born, lifetimeOf(claim) ?? second) - clock.now) / second);
      return [left, left];
    },
    becomes: ({ metadata }) => [remove('NodeClaim', metadata.name)],
  },
];

function carriesHash(pool: KubeObject): boolean {
  return Object.entries(hashesOf(pool)).every(([key, text]) => pool.metadata.annotations?.[key] === text);
}

function claimsOf({ object }: { object: KubeObject }, { claimsByPool }: World): Iterable<KubeObject> {
  return claimsByPool.of(object.metadata.name).values();
}

/** Only the cloud provider can withdraw drift it found itself, such as a new image; the simulated provider never does. */
function foundByKarpenter(claim: KubeObject, world: World): boolean {
  const reason = conditionOf(claim, 'Drifted')?.reason;
  if (reason === 'NodePoolDrifted') return hasHashes(claim, poolIn(world, claim));
  return reason === 'RequirementsDrifted';
}

/** The reason for drift; undefined if the claim has not drifted. A claim without a hash cannot drift by its hash. */
function driftOf(claim: KubeObject, world: World): string | undefined {
  const pool = poolIn(world, claim);
  if (!pool) return undefined;
  const same = (key: string): boolean => pool.metadata.annotations?.[key] === claim.metadata.annotations?.[key];
  if (hasHashes(claim, pool) && same(annotation.poolHashVersion) && !same(annotation.poolHash))
    return 'NodePoolDrifted';
  const required = (pool.spec?.template?.spec?.requirements ?? []).map(({ values = [], ...rest }) => ({
    ...rest,
    values,
  }));
  return matchesAll(required, claim.metadata.labels ?? {}) ? undefined : 'RequirementsDrifted';
}

const poolIn = ({ objects }: World, claim: KubeObject): RawPool | undefined =>
  objects.get('NodePool', poolOf(claim) ?? '');

const hasHashes = (claim: KubeObject, pool: KubeObject | undefined): boolean =>
  [annotation.poolHash, annotation.poolHashVersion].every(
    (key) => pool?.metadata.annotations?.[key] && claim.metadata.annotations?.[key],
  );

const lifetimeOf = ({ spec }: KubeObject) => parseDuration((spec as RawClaim['spec'])?.expireAfter ?? '');

export function withoutCondition(object: KubeObject, type: string): KubeObject | undefined {
  const all = object.status?.conditions as readonly StatusCondition[] | undefined;
  const conditions = all?.filter((it) => it.type !== type);
  if (conditions?.length === all?.length) return undefined;
  return { ...object, status: { ...object.status, conditions } };
}
