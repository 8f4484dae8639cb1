// The pools of a cluster that only Lull would limit, for `lull install --set role=guide` (C17).
import { lacksSafetyNet, safetyNetOf } from '../engine/limits/safetyNet.ts';
import { readObject } from '../kinds/readObject.ts';
import { apiKindOf } from '../kube/apiKind.ts';
import type { Client } from '../kube/client.ts';
import { listObjects } from '../kube/listing.ts';
import { sayNet } from '../lint/words/netWords.ts';
import type { Io } from './io.ts';

/** Nothing where pools cannot be listed: what is installed is installed, and `lull run` says it again. */
export async function netNotes(client: Client, io: Io): Promise<readonly string[]> {
  const pools = await listObjects({ client, kinds: [apiKindOf('NodePool')], keep: readObject })
    .then(({ objects }) => objects.flatMap((read) => (read.kind === 'NodePool' ? [read.record] : [])))
    .catch(() => []);
  const now = io.now();
  const bare = pools.filter((pool) => lacksSafetyNet(pool, now));
  if (bare.length === 0) return [];
  const told = bare.map((pool) => `${pool.name} (${sayNet(safetyNetOf(pool, now), now)})`);
  return [
    `Pools without a safety net, by Karpenter's own budgets: ${told.join(', ')}. While Lull is away nothing but spec.disruption.budgets limits Karpenter: write a limit there that holds always, such as 10%.`,
  ];
}
