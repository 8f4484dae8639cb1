// Nodes are stable for consolidation when they are upstream (A3, A6).
import { consolidatable } from './consolidatable.ts';
import { decide } from './decide.ts';
import { compareWithUpstream } from './facets.ts';
import { type PlainObject, type PlainPool, readyNode } from './objects.ts';

interface Input {
  readonly at: string;
  readonly nodePool: PlainPool;
  readonly nodeClaim: PlainObject;
}

compareWithUpstream<Input, { readonly consolidatable: boolean }>('consolidatable', ({ input, want }) => {
  const node = readyNode({ name: 'n', labels: input.nodeClaim.metadata.labels ?? {} });
  const round = decide({ objects: [input.nodePool, node, input.nodeClaim], at: input.at });
  return { upstream: { consolidatable: want.consolidatable }, lull: { consolidatable: consolidatable(round) } };
});
