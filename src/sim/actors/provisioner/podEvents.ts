// When did a pod last come to a node, end, or begin to end (A6)? Karpenter keeps it on the claim, at most every ten seconds.
import { formatInstant, parseInstant, second } from '../../../time/instant.ts';
import { isDeleting } from '../../kubeObject.ts';
import type { Changed } from '../../objects.ts';
import type { World } from '../../world.ts';
import type { Controller } from '../controller.ts';
import { type Claim, isDaemonPod, isTerminal, nodeNameOf, type Pod } from '../manifest.ts';
import { change } from '../write.ts';

const quietFor = 10 * second;

/** By the name of the node. */
export const podEvents = (world: World): Controller => ({
  name: 'karpenter-podevents',
  wakes: { Pod: (seen) => (isEvent(seen) ? [nodeNameOf(seen.object) ?? ''] : []) },
  after: [0.1, 0.1],
  settle: (node) => {
    const { now } = world.clock;
    const claims = [...(world.claimsByNode.of(node).values() as Iterable<Claim>)];
    const due = claims.filter(
      ({ status }) => now - (parseInstant(status?.lastPodEventTime ?? '') ?? -Infinity) >= quietFor,
    );
    const lastPodEventTime = formatInstant(now);
    return {
      writes: due.map(({ metadata }) =>
        change('NodeClaim', metadata.name, (it) => ({ ...it, status: { ...it.status, lastPodEventTime } })),
      ),
    };
  },
});

function isEvent({ type, object, was, by }: Changed): boolean {
  const [now, before] = [object as Pod, was as Pod | undefined];
  // What was there before anybody looked is no event.
  if (isDaemonPod(now) || nodeNameOf(now) === undefined || by === 'start') return false;
  if (type === 'ADDED' || !before) return true;
  if (type === 'DELETED') return !isTerminal(before) && !isDeleting(before);
  return (
    nodeNameOf(before) === undefined || isTerminal(before) !== isTerminal(now) || isDeleting(before) !== isDeleting(now)
  );
}
