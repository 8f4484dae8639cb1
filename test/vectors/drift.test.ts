// Claims are drifted when they are upstream (I1, I2, I5).
import { describe, expect, it } from 'vitest';
import type { Round, Verdict } from '../../src/engine/verdict.ts';
import { readSettings } from '../../src/kinds/readSettings.ts';
import { consolidatable } from './consolidatable.ts';
import { decide } from './decide.ts';
import { compareWithUpstream, readCases } from './facets.ts';
import {
  annotated,
  claimOf,
  condition,
  type PlainObject,
  type PlainPool,
  readyNode,
  withCondition,
} from './objects.ts';

/** `hash/`: a pool before and after. */
interface HashInput {
  readonly before: PlainPool;
  readonly after: PlainPool;
}

interface ClaimInput {
  readonly at: string;
  readonly nodePool: PlainPool;
  readonly nodeClaim: PlainObject;
  readonly nodePoolMissing?: boolean;
  /** The reason that the cloud provider gives. */
  readonly cloudProviderDrift?: string;
  readonly instanceTypes?: readonly unknown[];
}

type Input = HashInput | ClaimInput;

interface Want {
  readonly sameHash?: boolean;
  readonly drifted: boolean;
  readonly consolidatable: boolean;
}

const noon = '2024-03-13T12:00:00Z';

/** The claim that `before` would have created, with the labels that `after` requires: requirements are judged separately (I2). */
function claimFrom({ before, after }: HashInput): PlainObject {
  const { requirements: _, ...spec } = before.spec.template.spec;
  const asked = (after.spec.template.spec.requirements ?? []) as readonly { key: string; values: readonly string[] }[];
  const required = Object.fromEntries(asked.map(({ key, values }) => [key, values[0] ?? '']));
  const { labels, annotations = {} } = before.spec.template.metadata ?? {};
  const claim = claimOf({
    name: 'n',
    labels: { 'karpenter.sh/nodepool': after.metadata.name, ...required, ...labels },
  });
  return annotated({ ...claim, spec }, annotations);
}

function ask(input: Input): Round {
  if ('before' in input) return decideOn(claimFrom(input), [input.after], noon, []);
  const { nodeClaim, cloudProviderDrift: reason } = input;
  const claim = reason ? withCondition(nodeClaim, condition('Drifted', input.at, reason)) : nodeClaim;
  return decideOn(claim, input.nodePoolMissing ? [] : [input.nodePool], input.at, input.instanceTypes ?? []);
}

function decideOn(
  claim: PlainObject,
  pools: readonly PlainPool[],
  at: string,
  instanceTypes: readonly unknown[],
): Round {
  const { catalogue } = readSettings({ catalogue: instanceTypes }).settings;
  const node = readyNode({ name: 'n', labels: claim.metadata.labels ?? {} });
  return decide({ objects: [...pools, node, claim], at, settings: { drift: 'computed', catalogue } });
}

const driftIn = ({ verdicts }: Round): Verdict | undefined => verdicts.find(({ reason }) => reason === 'Drifted');

compareWithUpstream<Input, Want>('drift', ({ input, want }) => {
  const round = ask(input);
  const drifted = driftIn(round) !== undefined;
  if ('before' in input) return { upstream: { drifted: !want.sameHash }, lull: { drifted } };
  return {
    upstream: { drifted: want.drifted, consolidatable: want.consolidatable },
    lull: { drifted, consolidatable: consolidatable(round) },
  };
});

describe('I3: drift names the fields', () => {
  const drifted = readCases<Input, Want>('drift').flatMap(({ name, input }) => {
    const verdict = driftIn(ask(input));
    return verdict ? [{ name, detail: verdict.detail }] : [];
  });

  it.each(drifted)('$name', ({ detail }) => expect(detail).toMatch(/\S/));
});
