// Requirements select the nodes that they select in Karpenter (I2) and Kubernetes (D1).
import { describe, expect, it } from 'vitest';
import type { Operator } from '../../src/cluster/selector.ts';
import { incompatibleKeys } from '../../src/cluster/selector.ts';
import type { Round } from '../../src/engine/verdict.ts';
import { decide } from './decide.ts';
import { compareWithUpstream, readCases } from './facets.ts';
import { annotated, claimOf, freePool, type Labels, poolLabel, readyNode } from './objects.ts';

interface Input {
  readonly labels: Labels;
  readonly requirements: readonly {
    readonly key: string;
    readonly operator: Operator;
    readonly values?: readonly string[];
  }[];
}

interface Want {
  readonly karpenter: { readonly compatible?: boolean; readonly panic?: string };
  readonly kubernetes: { readonly matches: boolean; readonly error?: string };
}

const at = '2024-03-13T12:00:00Z';

/** Equal hashes: only the requirements can have drifted. */
const hashed = { 'karpenter.sh/nodepool-hash': '1', 'karpenter.sh/nodepool-hash-version': 'v3' };

const hasFault = ({ faults }: Round): boolean => faults.some(({ severity }) => severity === 'error');

/** Whether a claim with these labels is drifted in a pool with these requirements. */
function compatible({ labels, requirements }: Input): boolean | 'fault' {
  const parts = { name: 'n', labels: { ...poolLabel('p'), ...labels } };
  const pool = annotated(freePool('p', { requirements }), hashed);
  const round = decide({
    objects: [pool, readyNode(parts), annotated(claimOf(parts), hashed)],
    at,
    settings: { drift: 'computed' },
  });
  return hasFault(round) ? 'fault' : round.verdicts.every(({ reason }) => reason !== 'Drifted');
}

/** A maintenance window with these requirements over a node with these labels. */
function overNode({ labels, requirements }: Input): Round {
  const parts = { name: 'n', labels: { ...poolLabel('p'), ...labels } };
  const window = {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'MaintenanceWindow',
    metadata: { name: 'w' },
    spec: { selector: { matchExpressions: requirements } },
  };
  return decide({ objects: [freePool('p'), readyNode(parts), claimOf(parts), window], at });
}

const selected = ({ windows }: Round): boolean => windows[0]?.selected === 1;

compareWithUpstream<Input, Want>('selectors', ({ input, want }) => {
  const round = overNode(input);
  return {
    upstream: {
      compatible: want.karpenter.compatible ?? 'panic',
      matches: want.kubernetes.error ? 'fault' : want.kubernetes.matches,
    },
    lull: { compatible: compatible(input), matches: hasFault(round) ? 'fault' : selected(round) },
  };
});

describe('I2: the function alone agrees, for every readable case', () => {
  const known: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'];
  const sound = readCases<Input, Want>('selectors').filter(
    ({ input, want }) =>
      want.karpenter.panic === undefined && input.requirements.every(({ operator }) => known.includes(operator)),
  );

  it.each(sound.map((vector) => [vector.name, vector] as const))('%s', (_, { input, want }) => {
    const requirements = input.requirements.map(({ values = [], ...rest }) => ({ ...rest, values }));
    expect(incompatibleKeys(requirements, input.labels).length === 0).toBe(want.karpenter.compatible);
  });
});

describe('D7: a window whose selector cannot be read selects every node', () => {
  const broken = readCases<Input, Want>('selectors').filter(({ input }) => hasFault(overNode(input)));

  it.each(broken.map((vector) => [vector.name, vector] as const))('%s', (_, { input }) => {
    const round = overNode(input);
    expect(selected(round)).toBe(true);
    expect(round.verdicts[0]?.refusals.map(({ code }) => code)).toEqual(['WindowFault']);
  });
});
