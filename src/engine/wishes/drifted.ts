// Drifted: it is not what its pool asks for now (I).

import { currentName, incompatibleKeys } from '../../cluster/compatible.ts';
import type { Claim, Pool } from '../../cluster/model.ts';
import { annotation, label } from '../../cluster/names.ts';
import { createdAt } from '../../cluster/nodeView.ts';
import { labelOf } from '../../cluster/selector.ts';
import type { InstanceType } from '../../cluster/settings.ts';
import { after, hour, type Instant } from '../../time/instant.ts';
import type { WishRule } from './rule.ts';
import { clip, fieldsThatDiffer } from './templateDiff.ts';

/** What Lull can work out by itself. Any other reason comes from the cloud provider, which alone can know. */
const computable = ['NodePoolDrifted', 'RequirementsDrifted', 'InstanceTypeNotFound'];

/** A young claim's instance type may simply not have reached the catalogue yet. */
const instanceTypeGrace = hour;

export const drifted: WishRule = (view, pool, { now, settings }) => {
  const { claim } = view;
  const condition = claim?.conditions.Drifted;
  const isTrue = condition?.status === 'True';
  const since = (isTrue ? condition.since : undefined) ?? createdAt(view);
  const wish = (detail: string | undefined) => ({
    wish: {
      view,
      ...(pool && { pool }),
      reason: 'Drifted' as const,
      kind: 'eventual' as const,
      since,
      ...(detail && { detail }),
      memory: [],
    },
  });
  if (settings.drift === 'claims') {
    if (!isTrue) return undefined;
    return wish((claim && pool && describeDrift(claim, pool)) || condition.message || condition.reason);
  }
  if (!claim || !pool || claim.conditions.Launched?.status !== 'True') return undefined;
  // What was read from metrics is no complete list: a type that is missing there may still be offered.
  const listed = settings.catalogue.filter(({ estimated }) => !estimated);
  const detail = computeDrift(claim, pool, listed, now);
  if (typeof detail === 'string') return wish(detail);
  if (isTrue && !computable.includes(condition.reason ?? '')) return wish(condition.message || condition.reason);
  return detail;
};

/** The fields that differ, with old and new value (I3); undefined where none is seen to. */
const describeDrift = (claim: Claim, pool: Pool): string | undefined => {
  const differences = [...fieldsThatDiffer(claim.spec, pool.template), ...requirementsBroken(claim, pool)];
  return differences.length > 0 ? differences.join('; ') : undefined;
};

function computeDrift(
  claim: Claim,
  pool: Pool,
  catalogue: readonly InstanceType[],
  now: Instant,
): string | { arisesAt: Instant } | undefined {
  const hashes = compareHashes(claim, pool);
  if (hashes === 'differ') return describeDrift(claim, pool) ?? 'the template has changed';
  const fields = hashes === 'absent' ? fieldsThatDiffer(claim.spec, pool.template) : [];
  const broken = [...fields, ...requirementsBroken(claim, pool)];
  if (broken.length > 0) return broken.join('; ');
  if (catalogue.length === 0 || isOffered(claim, catalogue)) return undefined;
  const arisesAt = after(claim.createdAt, instanceTypeGrace);
  if (now <= arisesAt) return { arisesAt: after(arisesAt, 1 as typeof hour) };
  return `instance type ${claim.labels[label.instanceType] ?? '(none)'} is not offered any more`;
}

/** Karpenter stamps pool and claim with a hash of the template. Where either lacks it, nothing can be said by it. */
function compareHashes(claim: Claim, pool: Pool): 'same' | 'differ' | 'absent' {
  const [ours, theirs] = [pool.annotations, claim.annotations].map((it) => it[annotation.poolHash]);
  const [ourVersion, theirVersion] = [pool.annotations, claim.annotations].map((it) => it[annotation.poolHashVersion]);
  if (ours === undefined && theirs === undefined) return 'absent';
  if (!ours || !theirs || !ourVersion || !theirVersion || ourVersion !== theirVersion) return 'same';
  return ours === theirs ? 'same' : 'differ';
}

function requirementsBroken(claim: Claim, pool: Pool): string[] {
  return incompatibleKeys(pool.template.requirements, claim.labels).map((key) => {
    const asked = pool.template.requirements
      .filter((requirement) => currentName(requirement.key) === key)
      .map(({ operator, values }) => `${operator}${values.length > 0 ? ` ${values.join(', ')}` : ''}`);
    return `requirement ${clip(key)}: is ${clip(labelOf(claim.labels, key) ?? 'absent')}, asked ${clip(asked.join(' and '))}`;
  });
}

function isOffered(claim: Claim, catalogue: readonly InstanceType[]): boolean {
  const type = catalogue.find(({ name }) => name === claim.labels[label.instanceType]);
  const { [label.zone]: zone, [label.capacityType]: capacityType } = claim.labels;
  return (
    type?.offerings.some(
      (offering) =>
        (offering.zone === zone || zone === undefined) &&
        (capacityType === undefined ||
          offering.capacityType === capacityType ||
          (capacityType === 'reserved' && offering.capacityType === 'on-demand')),
    ) ?? false
  );
}
