// C13: is a domain well after its nodes were replaced? A bad image is stopped here, in the first domain it reaches.
import type { Turn } from '../../cluster/ledger.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Situation } from '../situation.ts';
import { domainOf } from './domains.ts';
import type { Roll } from './roll.ts';

/** What is not well, in sentences a person on call can act on. */
export function findUnwell(turn: Turn, { tally, situation }: Roll): readonly string[] {
  const nodes = tally.nodes.filter((view) => domainOf(view, turn.topologyKey) === turn.domain);
  return [
    ...unwellNodes(turn, nodes, situation),
    ...missingReplacements(turn, situation),
    ...missingPods(turn, situation),
  ];
}

function unwellNodes(turn: Turn, nodes: readonly NodeView[], { inFlight }: Situation): string[] {
  return nodes.flatMap((view) => {
    const { name, createdAt } = view.node;
    const isNew = createdAt > turn.takenAt;
    // What leaves need not be well; but a new node that is taken away again says that its successor may be no better.
    if (inFlight.has(name) && !isNew) return [];
    // What came since the turn was taken is a replacement, whoever made it.
    if (isNew && !view.state.initialized) return [`node ${name} is not initialized`];
    return view.state.ready || turn.unreadyAtStart.includes(name) ? [] : [`node ${name} is not Ready`];
  });
}

function missingReplacements(turn: Turn, { cluster }: Situation): string[] {
  return turn.replacements.flatMap((name) => {
    const claim = cluster.claim(name);
    if (!claim) return [`replacement ${name} is missing`];
    return claim.conditions.Initialized?.status === 'True' ? [] : [`replacement ${name} is not Initialized`];
  });
}

/** Matched by owner and counted: a pod that was evicted comes back under another name. */
function missingPods(turn: Turn, { cluster }: Situation): string[] {
  if (turn.expected.length === 0) return [];
  const running = new Map<string, number>();
  for (const { pods } of cluster.nodes) {
    for (const { owner, phase, ready, deletingAt } of pods) {
      if (!owner || phase !== 'Running' || ready !== 'True' || deletingAt !== undefined) continue;
      running.set(owner.uid, (running.get(owner.uid) ?? 0) + 1);
    }
  }
  return turn.expected.flatMap(({ owner, name, running: wanted }) => {
    const have = running.get(owner) ?? 0;
    return have >= wanted ? [] : [`${wanted - have} of ${wanted} pods of ${name} are not running again`];
  });
}
