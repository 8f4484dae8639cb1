// What does Karpenter do to single pools and claims? It keeps their hashes, marks what has drifted, and deletes what has expired.
import { annotation } from '../../../cluster/names.ts';
import { matchesAll } from '../../../cluster/selector.ts';
import { parseDuration } from '../../../time/duration.ts';
import { after, parseInstant, second } from '../../../time/instant.ts';
import type { KubeObject } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import type { Condition } from '../condition.ts';
import { type Claim, type Pool, poolOf, type StatusCondition } from '../manifest.ts';
import { conditionOf, withConditions } from '../status.ts';
import type { Row } from '../table.ts';
import { change, remove } from '../write.ts';
import { hashesOf } from './poolHash.ts';

const by = 'karpenter';
const stays: Condition = { lacks: 'metadata.deletionTimestamp' };

/** [k]: within a moment of the change. */
const driftDelay = [0.1, 0.2] as const;

export const karpenterRows: readonly Row[] = [
  {
    name: 'a pool carries the hash of its template',
    by,
    kind: 'NodePool',
    when: [stays, { so: 'its hash is not that of its template', holds: (pool) => !carriesHash(pool) }],
    after: [0, 0],
    becomes: ({ metadata }) => [
      change('NodePool', metadata.name, (pool) => ({
        ...pool,
        metadata: { ...pool.metadata, annotations: { ...pool.metadata.annotations, ...hashesOf(pool as Pool) } },
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
    // [a]: at exactly that age; no annotation, budget or pod holds it up.
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
  return Object.entries(hashesOf(pool as Pool)).every(([key, text]) => pool.metadata.annotations?.[key] === text);
}

function claimsOf({ object }: { object: KubeObject }, { claimsByPool }: World): Iterable<KubeObject> {
  return claimsByPool.of(object.metadata.name).values();
}

/** Drift that the cloud provider found, such as a new image, is the provider's to take back, and the simulated one never does. */
function foundByKarpenter(claim: KubeObject, world: World): boolean {
  const reason = conditionOf(claim, 'Drifted')?.reason;
  if (reason === 'NodePoolDrifted') return hasHashes(claim, poolIn(world, claim));
  return reason === 'RequirementsDrifted';
}

/** Why it has drifted; undefined = it has not. [b]: without a hash it never does by one. */
function driftOf(claim: KubeObject, world: World): string | undefined {
  const pool = poolIn(world, claim);
  if (!pool) return undefined;
  const same = (key: string): boolean => pool.metadata.annotations?.[key] === claim.metadata.annotations?.[key];
  if (hasHashes(claim, pool) && same(annotation.poolHashVersion) && !same(annotation.poolHash))
    return 'NodePoolDrifted';
  const asked = (pool.spec?.template?.spec?.requirements ?? []).map(({ values = [], ...rest }) => ({
    ...rest,
    values,
  }));
  return matchesAll(asked, claim.metadata.labels ?? {}) ? undefined : 'RequirementsDrifted';
}

const poolIn = ({ objects }: World, claim: KubeObject): Pool | undefined =>
  objects.get('NodePool', poolOf(claim) ?? '') as Pool | undefined;

const hasHashes = (claim: KubeObject, pool: KubeObject | undefined): boolean =>
  [annotation.poolHash, annotation.poolHashVersion].every(
    (key) => pool?.metadata.annotations?.[key] && claim.metadata.annotations?.[key],
  );

const lifetimeOf = ({ spec }: KubeObject) => parseDuration((spec as Claim['spec'])?.expireAfter ?? '');

export function withoutCondition(object: KubeObject, type: string): KubeObject | undefined {
  const all = object.status?.conditions as readonly StatusCondition[] | undefined;
  const conditions = all?.filter((it) => it.type !== type);
  if (conditions?.length === all?.length) return undefined;
  return { ...object, status: { ...object.status, conditions } };
}
