// C13: is a domain well after its nodes were replaced? A bad image is stopped here, in the first domain it reaches.
import type { Turn } from '../../cluster/ledger.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { countRunning } from '../../cluster/workload.ts';
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

/** Matched by workload and counted: a pod that was evicted comes back under another name. */
function missingPods(turn: Turn, { cluster }: Situation): string[] {
  return turn.expected.flatMap(({ owner, name, running, pdb }) => {
    // Who has been scaled down since is not waited for.
    const wanted = Math.min(running, (pdb ? cluster.pdb(pdb)?.expectedPods : undefined) ?? running);
    const have = countRunning(owner, cluster.nodes);
    return have >= wanted ? [] : [`${wanted - have} of ${wanted} pods of ${name} are not running again`];
  });
}
