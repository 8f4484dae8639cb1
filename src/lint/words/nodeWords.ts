// Which nodes of a pool stay because somebody wrote so on them (E2)?
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Instant } from '../../time/instant.ts';
import { sayInstant } from './clockWords.ts';
import { count, someOf } from './lists.ts';
import { utc } from './windowWords.ts';

/** A sentence for each kind of annotation that is there. */
export function sayHeldNodes(nodes: readonly NodeView[], now: Instant): string[] {
  const optedOut = nodes.filter(({ node }) => isProtected(node.rules.doNotDisrupt, now));
  return [
    tell(
      nodes.filter(({ node }) => node.rules.hold !== undefined),
      'for any reason (lull.dev/hold)',
      withWhy,
    ),
    tell(optedOut, 'unless unhealthy (karpenter.sh/do-not-disrupt)', withEnd),
    tell(
      nodes.filter(({ node }) => node.rules.doNotConsolidate),
      'when empty or underutilized (karpenter.sh/do-not-consolidate)',
      withName,
    ),
    tell(
      nodes.filter(({ node }) => node.rules.doNotRepair),
      'when unhealthy (karpenter.sh/do-not-repair)',
      withName,
    ),
  ].filter((sentence) => sentence !== undefined);
}

const isProtected = (optOut: NodeView['node']['rules']['doNotDisrupt'], now: Instant): boolean =>
  optOut !== undefined && (optOut.until === undefined || optOut.until > now);

function tell(nodes: readonly NodeView[], when: string, say: (view: NodeView) => string): string | undefined {
  if (nodes.length === 0) return undefined;
  return `${count(nodes.length, 'node')} ${nodes.length === 1 ? 'does' : 'do'} not go ${when}: ${someOf(nodes.map(say))}.`;
}

const withName = ({ node }: NodeView): string => node.name;
const withWhy = ({ node }: NodeView): string => `${node.name} (${node.rules.hold || 'no reason given'})`;
const withEnd = ({ node }: NodeView): string =>
  node.rules.doNotDisrupt?.until === undefined
    ? node.name
    : `${node.name} (until ${sayInstant(node.rules.doNotDisrupt.until, utc)})`;
