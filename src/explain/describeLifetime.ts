// Describes the lifetime of a pool's nodes: consolidation, drift that waits, waves, expiry, repair, nodes that are kept, and reasons that never arise.
import type { NodeRules, Pool } from '../cluster/model.ts';
import type { NodeView } from '../cluster/nodeView.ts';
import { consolidates, driftWaitOf, rollRuleOf, waveBudgetOf } from '../cluster/pool.ts';
import type { Reason } from '../cluster/reason.ts';
import type { Settings } from '../cluster/settings.ts';
import { defaultConsolidateAfter, defaultExpireAfter } from '../kinds/read/nodePool.ts';
import { describeDuration, describeInstant } from '../time/describeClock.ts';
import type { Duration, Instant } from '../time/instant.ts';
import { count, someOf } from '../time/lists.ts';
import { utc } from './describeWindow.ts';

/** One sentence per field that differs from its default. */
export const describeLifetimes = (pool: Pool, nodes: readonly NodeView[], settings: Settings): string[] =>
  [
    describeConsolidation(pool),
    describeDriftWait(pool),
    describeWaves(pool),
    describeHalts(pool),
    describeExpiry(pool),
    describeRepair(pool, settings),
    describeGrace(pool, nodes),
    describeApproval(pool),
  ].filter((sentence) => sentence !== undefined);

/** Empty for a Provisioner, whose fields have other names. */
const by = (field: string, { provisioner }: Pool): string => (provisioner ? '' : ` (${field})`);

function describeConsolidation(pool: Pool): string | undefined {
  const { consolidateAfter, consolidationPolicy } = pool;
  if (!consolidates(pool, 'Empty') || consolidateAfter === 'Never') return undefined;
  if (consolidateAfter === defaultConsolidateAfter && consolidationPolicy !== 'Balanced') return undefined;
  const which = consolidates(pool, 'Underutilized') ? 'An empty or underutilized node' : 'An empty node';
  const balanced = consolidationPolicy === 'Balanced' ? '; Balanced is read as WhenEmptyOrUnderutilized' : '';
  const when = `${describeDuration(consolidateAfter)} after a pod last arrived or left`;
  return `${which} may be disrupted ${when}${by('consolidateAfter', pool)}${balanced}.`;
}

/** Of several waits the longest counts (P7). */
function describeDriftWait(pool: Pool): string | undefined {
  const rule = driftWaitOf(pool);
  if (!rule) return undefined;
  const { wait, budget } = rule;
  const where = budget ? `driftAfter of budgets[${budget.index}]` : 'lull.dev/drift-after';
  return `A node is replaced for drift only after it has been drifted for ${describeDuration(wait)} (${where}).`;
}

/** `first 1 node, then up to 10% of the pool, then the rest` (P3). */
function describeWaves(pool: Pool): string | undefined {
  const budget = waveBudgetOf(pool);
  if (!budget) return undefined;
  const [first = '', ...more] = budget.waves.map((wave) =>
    'count' in wave ? count(wave.count, 'node') : `${wave.percent}% of the pool`,
  );
  const steps = [`first ${first}`, ...more.map((wave) => `then up to ${wave}`), 'then the rest'].join(', ');
  const healthy = budget.settle > 0 ? `healthy for ${describeDuration(budget.settle)}` : 'healthy';
  return `Drifted nodes are replaced in waves: ${steps}; the pool must be ${healthy} before the next wave begins (waves of budgets[${budget.index}]).`;
}

function describeHalts(pool: Pool): string | undefined {
  const { haltAfter } = rollRuleOf(pool) ?? {};
  if (!haltAfter) return undefined;
  const { failures, index } = haltAfter;
  const failed = failures === 1 ? 'a replacement has failed' : `${failures} replacements in a row have failed`;
  return `A roll is halted after ${failed} (haltAfter of budgets[${index}]).`;
}

function describeExpiry(pool: Pool): string | undefined {
  const { template, expireEarlyAfter: early } = pool;
  const hard = template.expireAfter;
  if (isTimed(early) && (!isTimed(hard) || early < hard)) {
    const end = isTimed(hard)
      ? `; at ${describeDuration(hard)} Karpenter terminates it, regardless of budgets and windows`
      : '';
    return `A node is due for replacement when it is ${describeDuration(early)} old${end}.`;
  }
  if (!isTimed(hard) || hard === defaultExpireAfter) return undefined;
  return `A node expires when it is ${describeDuration(hard)} old${by('expireAfter', pool)}.`;
}

const isTimed = (length: Duration | 'Never' | undefined): length is Duration =>
  length !== undefined && length !== 'Never';

function describeRepair(pool: Pool, settings: Settings): string | undefined {
  const { repairAfter } = pool;
  if (!isTimed(repairAfter) || repairAfter === settings.repairAfter) return undefined;
  return `A node is unhealthy when it has not been Ready for ${describeDuration(repairAfter)}${by('repairAfter', pool)}.`;
}

const describeApproval = ({ needsApproval }: Pool): string | undefined =>
  needsApproval &&
  'A node is disrupted only if a person has approved it with `lull approve` (lull.dev/approval); interruptions need no approval.';

/** A terminationGracePeriod overrides pods (A2). */
const waived = '(terminationGracePeriod): drift, expiry and repair do not wait for pods that may not be moved';

function describeGrace(
  { template: { terminationGracePeriod: grace } }: Pool,
  nodes: readonly NodeView[],
): string | undefined {
  if (grace !== undefined) return `A node has ${describeDuration(grace)} to drain ${waived}.`;
  const timed = nodes.filter(({ claim }) => claim?.spec.terminationGracePeriod !== undefined);
  if (timed.length === 0) return undefined;
  const names = someOf(timed.map(({ node }) => node.name));
  return `${count(timed.length, 'node')} (${names}) have a deadline for draining ${waived}.`;
}

export interface ReasonOff {
  readonly text: string;
  /** True = no node is ever disrupted for it; false = nothing ever holds it. */
  readonly never: boolean;
}

/** A reason that never arises or that nothing holds; undefined for all others. */
export function describeOff(
  reason: Reason,
  pool: Pool,
  nodes: readonly NodeView[],
  settings: Settings,
): ReasonOff | undefined {
  switch (reason) {
    case 'Empty':
    case 'Underutilized':
      return consolidates(pool, reason) ? undefined : notConsolidated(pool);
    case 'Unhealthy':
      return (pool.repairAfter ?? settings.repairAfter) === 'Never'
        ? never('nodes are not repaired', pool, 'repairAfter: Never')
        : undefined;
    case 'Expired':
      if (neverExpires(pool, nodes)) return never('nodes do not expire', pool, 'expireAfter: Never');
      return settings.expiration === 'forceful' ? forced : undefined;
    default:
      return undefined;
  }
}

/** Without the field for a Provisioner, whose fields have other names. */
const never = (why: string, { provisioner }: Pool, field: string): ReasonOff => ({
  text: `never: ${why}${provisioner ? '' : ` (${field})`}`,
  never: true,
});
const forced: ReasonOff = {
  text: 'immediately, regardless of budgets and windows (setting expiration: forceful)',
  never: false,
};

function notConsolidated(pool: Pool): ReasonOff {
  if (pool.replicas !== undefined) return never('the pool is static', pool, `replicas: ${pool.replicas}`);
  if (pool.consolidateAfter === 'Never') return never('nothing is consolidated', pool, 'consolidateAfter: Never');
  return never('only empty nodes are consolidated', pool, 'consolidationPolicy: WhenEmpty');
}

/** A NodeClaim keeps the lifetime it was created with, even if its pool has changed. */
function neverExpires({ template, expireEarlyAfter }: Pool, nodes: readonly NodeView[]): boolean {
  const lifetimes = [template.expireAfter, expireEarlyAfter, ...nodes.map(({ claim }) => claim?.spec.expireAfter)];
  return lifetimes.every((lifetime) => lifetime === undefined || lifetime === 'Never');
}

/** Annotations that keep nodes (E2): for which reasons, and the text for a node that has one. */
const holds: readonly (readonly [
  when: string,
  name: (rules: NodeRules, name: string, now: Instant) => string | undefined,
])[] = [
  [
    'for any reason (lull.dev/hold)',
    ({ hold }, name) => (hold === undefined ? undefined : `${name} (${hold || 'no reason given'})`),
  ],
  [
    'unless unhealthy (karpenter.sh/do-not-disrupt)',
    ({ doNotDisrupt: optOut }, name, now) => {
      if (!optOut || optOut.until === undefined) return optOut && name;
      return optOut.until > now ? `${name} (until ${describeInstant(optOut.until, utc)})` : undefined;
    },
  ],
  [
    'when empty or underutilized (karpenter.sh/do-not-consolidate)',
    ({ doNotConsolidate }, name) => (doNotConsolidate ? name : undefined),
  ],
  ['when unhealthy (karpenter.sh/do-not-repair)', ({ doNotRepair }, name) => (doNotRepair ? name : undefined)],
];

/** One sentence per kind of annotation that is present. */
export const describeHeldNodes = (nodes: readonly NodeView[], now: Instant): string[] =>
  holds.flatMap(([when, nameIn]) => {
    const names = nodes.flatMap(({ node }) => nameIn(node.rules, node.name, now) ?? []);
    if (names.length === 0) return [];
    return `${count(names.length, 'node')} ${names.length === 1 ? 'is' : 'are'} not disrupted ${when}: ${someOf(names)}.`;
  });
