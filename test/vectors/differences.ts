// Intended differences from upstream: each once, with its clause and Lull's own answer to every case that shows it.
// Past 300 lines: it is the whole list. All other answers must be equal.

/** A file of vectors. */
export type VectorFile =
  | 'budgets'
  | 'candidates'
  | 'consolidatable'
  | 'consumed'
  | 'drift'
  | 'pdbs'
  | 'pods'
  | 'repair'
  | 'selectors';

/** Answers, by question. */
export type Facets = Readonly<Record<string, string | number | boolean>>;

export interface Difference {
  readonly clause: string;
  readonly upstream: string;
  readonly lull: string;
  /** By file and case: Lull's answers, where they differ. None = no case here shows it. */
  readonly cases: Partial<Readonly<Record<VectorFile, Readonly<Record<string, Facets>>>>>;
}

const each = (names: readonly string[], answer: Facets): Readonly<Record<string, Facets>> =>
  Object.fromEntries(names.map((name) => [name, answer]));

/** Limits for Drifted, Empty, Underutilized and Unhealthy; `-` means unlimited. */
const limits = (figures: string): Facets => ({ limits: figures });
const read = (figures: string): Facets => ({ limits: figures, fault: false });
/** C8: no node of an invalid pool is disrupted. */
const fault: Facets = { limits: '0 0 0 0', fault: true };
/** Upstream disrupts nothing either, but does not report why. */
const faultSaid: Facets = { fault: true };

const judged = (code: string, ...nodes: readonly string[]): Facets =>
  Object.fromEntries(nodes.flatMap((node) => [`graceful ${node}`, `eventual ${node}`]).map((facet) => [facet, code]));
const notReady = (...nodes: readonly string[]): Facets => judged('NotReady', ...nodes);
const noDrift: Facets = { 'Drift candidates': '', 'Drift command': 'none', 'Drift count': 0 };
const noEmptiness: Facets = { 'Emptiness candidates': '', 'Emptiness command': 'none' };
const noSingle: Facets = {
  'SingleNodeConsolidation candidates': '',
  'SingleNodeConsolidation command': 'none',
  'SingleNodeConsolidation count': 0,
  consolidation: 'none',
};
const perReason = (pool: string, figures: string): Facets =>
  Object.fromEntries(
    ['Drifted', 'Empty', 'Underutilized', 'Unhealthy'].map((reason) => [`${reason} ${pool}`, figures]),
  );

/** The table of the vectors' own README, row by row. */
export const listed: Readonly<Record<string, Difference>> = {
  'budgets without reasons': {
    clause: 'C5',
    upstream: 'a budget without reasons always binds',
    lull: 'allowances: only reasons that no budget names, unless `ceiling`, which is how all cases are decided here; beside Karpenter both readings apply',
    cases: {},
  },
  'empty reasons': {
    clause: 'C1',
    upstream: '`reasons: []` never applies',
    lull: 'read as absent',
    cases: {
      budgets: {
        'random/013': limits('23 23 23 23'),
        'random/044': limits('111 111 1 1'),
        'random/119': limits('15 2 2 15'),
        'random/176': limits('5 28 28 28'),
        'random/191': limits('78 78 78 78'),
        'random/193': limits('1000 1000 1000 1000'),
        'random/224': limits('8 8 8 8'),
        'random/264': limits('5 4 5 5'),
        'random/267': limits('6 5 7 7'),
        'random/274': limits('0 0 0 0'),
        'random/310': limits('14 14 14 14'),
        'random/313': limits('13 0 13 13'),
        'random/322': limits('1 1 1 1'),
        'random/387': limits('11 19 19 19'),
        'random/401': limits('2 2 2 2'),
        'random/402': limits('100 100 100 100'),
        'random/416': limits('0 0 0 0'),
        'random/426': limits('0 0 0 0'),
        'random/438': limits('10 1 10 10'),
        'random/481': limits('0 0 0 0'),
        'random/512': limits('3 3 3 3'),
        'random/514': limits('13 13 13 13'),
        'random/528': limits('9 9 9 9'),
        'random/548': limits('2 2 2 2'),
      },
    },
  },
  'absent budgets': {
    clause: 'C1',
    upstream: 'no cap in the raw object (the CRD fills in 10 %)',
    lull: '10 %',
    cases: { budgets: each(['value/absent list', 'value/null list'], limits('1 1 1 1')) },
  },
  'integers beyond 32 bits': {
    clause: 'C8',
    upstream: 'wrap around',
    lull: 'fault',
    cases: {
      budgets: {
        ...each(['overflow/2147483648', 'overflow/3000000000', 'overflow/4294967301'], fault),
        'overflow/4294967296': faultSaid,
      },
    },
  },
  'bad text in an inactive budget': {
    clause: 'C8',
    upstream: 'passes',
    lull: 'fault',
    cases: { budgets: each(['random/027', 'random/467', 'random/540', 'random/543'], fault) },
  },
  'schedules that never fire': {
    clause: 'B6',
    upstream: 'open forever; `0 0 29 2 *` sometimes too',
    lull: 'fault; 29 February is found however far',
    cases: {
      budgets: {
        'random/392': fault,
        ...each(
          [
            'window/never fires 0 0 30 2 * 1h @2024-03-13T09:00:00Z',
            'window/never fires 0 0 31 11 * 1h @2024-03-13T09:00:00Z',
            'window/never fires 0 0 31 2,4,6,9,11 * 1h @2024-03-13T09:00:00Z',
          ],
          faultSaid,
        ),
        ...each(
          [
            'window/leap day eight-year gap 0 0 29 2 * 1h @2096-03-01T00:00:00Z',
            'window/leap day eight-year gap 0 0 29 2 * 1h @2097-06-01T00:00:00Z',
            'window/leap day eight-year gap 0 0 29 2 * 1h @2098-12-31T00:00:00Z',
          ],
          limits('- - - -'),
        ),
      },
    },
  },
  'seconds in durations': {
    clause: 'B5',
    upstream: 'count; 0 and negative pass',
    lull: 'dropped; below 1m: fault',
    cases: {
      budgets: {
        'window/zero duration 0 9 * * * 0m @2024-03-13T09:00:00Z': fault,
        'window/sub-second duration 0 9 * * * 500ms @2024-03-13T09:00:01Z': fault,
        'window/half second more 0 9 * * * 60s500ms @2024-03-13T09:01:00Z': limits('- - - -'),
        'window/half second more 0 9 * * * 60s500ms @2024-03-13T09:01:00.4Z': limits('- - - -'),
        'random/576': limits('27 27 27 -'),
      },
    },
  },
  'weekday 7 and wrapping ranges': {
    clause: 'B2',
    upstream: 'error',
    lull: 'accepted',
    cases: {
      budgets: {
        ...each(
          ['cron/0 0 * * 7', 'cron/0 0 * * sat-sun', 'cron/0 0 * * tue-mon', 'cron/0 22-6 * * *'],
          read('- 5 - -'),
        ),
        'cron/5-1 * * * *': read('3 3 3 3'),
        'random/485': read('0 0 0 -'),
        'random/572': read('1 1 1 -'),
        'random/594': read('2 2 2 -'),
      },
    },
  },
  'days counted within the month': {
    clause: 'R1',
    upstream: 'error',
    lull: 'accepted',
    cases: { budgets: each(['cron/* * L * *', 'cron/* * * * 1#2'], read('- 5 - -')) },
  },
  '@every': {
    clause: 'B1',
    upstream: 'accepted by the parser, not by admission',
    lull: 'fault',
    cases: {
      budgets: {
        'window/every @every 1h 30m @2024-03-13T10:00:00Z': fault,
        'window/every @every 1h 1h @2024-03-13T10:00:00Z': faultSaid,
      },
    },
  },
  'a node that is itself being deleted': {
    clause: 'C4',
    upstream: "a Node's own deletionTimestamp neither consumes nor excludes",
    lull: 'consumed and under way',
    cases: {
      consumed: { 'random/05': perReason('p', '4 1 2') },
      candidates: {
        'filter/node deleting only': {
          ...judged('underway', 'a'),
          ...noDrift,
          ...noEmptiness,
          'Drift budget p': 1,
          'Emptiness budget p': 1,
          'SingleNodeConsolidation budget p': 1,
          'StaticDrift budget p': 1,
        },
        'filter/node deleting only, with a pod': {
          ...judged('underway', 'a'),
          ...noDrift,
          ...noSingle,
          'Drift budget p': 1,
          'Emptiness budget p': 1,
          'SingleNodeConsolidation budget p': 1,
          'StaticDrift budget p': 1,
        },
      },
    },
  },
  'busy nodes that cost nothing': {
    clause: 'F3',
    upstream: '`cost ≤ 1` makes a busy node "empty"',
    lull: 'empty = no reschedulable pods',
    cases: { pods: each(['nodecost/random 02', 'nodecost/random 04'], { empty: false }) },
  },
  'PDBs that cannot be read': {
    clause: 'E10, K1',
    upstream: 'one of them stops everything',
    lull: 'it blocks the pods of its namespace that it might select, and is reported',
    cases: {
      pdbs: each(['selector/bad operator', 'selector/bad label value'], { 'may go': false }),
      candidates: {
        'pods/PDB with a bad selector anywhere': {
          'Drift candidates': 'a',
          'Drift command': 'a',
          'Drift count': 1,
          'Emptiness candidates': 'a b',
          'Emptiness command': 'a b',
        },
      },
    },
  },
  'negative disruptionsAllowed': { clause: 'E10', upstream: 'passes', lull: 'blocks', cases: {} },
  'replacements beyond the limits of a pool': {
    clause: 'F5',
    upstream: 'Drift plans them',
    lull: 'counts the removed nodes, never beyond the limit',
    cases: {},
  },
  'percentages above 100 and negative counts': {
    clause: 'C1',
    upstream: 'pass the function',
    lull: 'fault',
    cases: {
      budgets: each(
        [
          'badvalue/"-10"',
          'badvalue/"-10%"',
          'badvalue/"110%"',
          'badvalue/"1000%"',
          'random/019',
          'random/063',
          'random/073',
          'random/260',
          'random/436',
          'random/442',
          'random/458',
          'random/508',
          'random/546',
        ],
        fault,
      ),
    },
  },
  'older spellings': {
    clause: 'C2',
    upstream: 'reasons in lower case, `nodes` as a number, `reasons` as a string: rejected',
    lull: 'read',
    cases: {
      budgets: {
        'reasons/lower case': limits('- 2 - -'),
        'undecodable/nodes as number': read('5 5 5 5'),
        'undecodable/reasons as string': read('- 5 - -'),
      },
    },
  },
  'a TZ= prefix': {
    clause: 'B3',
    upstream: 'always UTC',
    lull: 'honoured',
    cases: { budgets: { 'cron/CRON_TZ=UTC 0 9 * * *': read('- 5 - -') } },
  },
  'older and longer protections': {
    clause: 'E1, E2',
    upstream: '`do-not-evict`, `do-not-consolidate`, durations on nodes: unknown',
    lull: 'honoured',
    cases: {
      pods: { 'dnd/old name do-not-evict': { movable: false, 'asks its PDB': false } },
      candidates: {
        'filter/annotation duration': { ...judged('NodeOptedOut', 'a'), ...noDrift, ...noEmptiness },
        'filter/annotation duration, with a pod': { ...judged('NodeOptedOut', 'a'), ...noDrift, ...noSingle },
        'filter/do-not-consolidate': noEmptiness,
      },
    },
  },
  'costs below nothing': {
    clause: 'F3',
    upstream: 'the cost of a pod may fall to −10',
    lull: 'never below 0',
    cases: {
      pods: each(
        ['cost/karpenter disruption-cost "-2147483647"', 'cost/priority -2147483648', 'cost/slightly negative'],
        {
          cost: 0,
        },
      ),
    },
  },
  'nodes that are not Ready': {
    clause: 'A5',
    upstream: 'may be disrupted for any reason and may use up their own unit',
    lull: 'only for Unhealthy or Interrupted',
    cases: {
      candidates: {
        'drift/a not ready drifted node is itself a candidate': { ...notReady('a'), ...noDrift },
        'drift/not ready drifted node, budget 1': { ...notReady('a'), 'Drift candidates': '' },
        'random/05': { ...notReady('n03'), 'SingleNodeConsolidation candidates': 'n06' },
        'random/06': { ...notReady('n01'), 'Emptiness candidates': 'n04' },
        'random/09': {
          ...notReady('n07'),
          'SingleNodeConsolidation candidates': 'n00 n03',
          'SingleNodeConsolidation command': 'n03',
          consolidation: 'n03: saves 0.08, moves 1',
        },
        'random/12': { ...notReady('n03'), 'SingleNodeConsolidation candidates': '' },
        'random/19': { ...notReady('n02', 'n03', 'n05'), 'SingleNodeConsolidation candidates': '' },
        'random/25': { 'eventual n01': 'NotReady', 'Drift candidates': 'n02' },
        'random/29': {
          ...notReady('n04'),
          'Drift candidates': '',
          'SingleNodeConsolidation candidates': 'n01 n02 n05',
        },
        'random/33': notReady('n01'),
        'random/36': {
          ...notReady('n00'),
          'Drift candidates': 'n01 n05',
          'SingleNodeConsolidation candidates': 'n03',
        },
      },
    },
  },
  'what refuses repair': {
    clause: 'A2',
    upstream: 'PDBs and blocked pods',
    lull: 'only opt-outs',
    cases: { repair: { 'pods/PDB, no bound': { candidates: 'n00', command: 'n00', count: 1 } } },
  },
  '`DisruptionReason` alone': { clause: 'C4', upstream: 'does not consume', lull: 'it does', cases: {} },
  'when a node is stable': {
    clause: 'A3, A6',
    upstream: '`consolidateAfter` absent: 0s; only lastPodEventTime counts',
    lull: '15s; the later of it and Initialized',
    cases: {
      consolidatable: {
        'after/absent': { consolidatable: true },
        'after/event old, initialized later': { consolidatable: false },
      },
    },
  },
  'commands a round': {
    clause: 'F1',
    upstream: 'one',
    lull: 'as many as the limits allow',
    cases: {
      candidates: {
        'drift/oldest first': { 'Drift count': 3 },
        'consolidate/two into one': { 'SingleNodeConsolidation count': 2 },
        'consolidate/three small pods to one node': { 'SingleNodeConsolidation count': 2 },
        'random/18': { 'Drift count': 2 },
        'random/22': { 'SingleNodeConsolidation count': 2 },
        'random/32': { 'Drift count': 2, 'SingleNodeConsolidation count': 2 },
        'random/36': { 'Drift count': 2 },
      },
      repair: each(['breaker/2 of 10', 'order/longest unhealthy first', 'order/tie: name'], { count: 2 }),
    },
  },
  'claims of another node class kind': {
    clause: 'C3, I1',
    upstream: 'neither counted nor considered',
    lull: 'counted, and their class is a field like others',
    cases: {
      consumed: { 'odd/claim of another node class kind': perReason('p', '5 0 3') },
      drift: { 'state/claim of another class': { drifted: true, consolidatable: true } },
    },
  },
};

/** Further differences that the contract requires. */
export const ours: Readonly<Record<string, Difference>> = {
  'nodes that are not counted, in a freeze': {
    clause: 'C5',
    upstream: 'a node that is not initialized needs no budget, so a budget of 0 does not hold it',
    lull: 'a freeze is a freeze: it holds them too',
    cases: { repair: { 'budget/uninitialized node needs none': { command: 'none', count: 0 } } },
  },
  'machines that are ending': {
    clause: 'C3',
    upstream: 'a node whose instance is terminating is neither counted nor consumed',
    lull: 'both until its machine is gone, unless `endingMachines: ignore`, which is how all cases are decided here',
    cases: {},
  },
  'a budget without nodes': {
    clause: 'C1',
    upstream: 'error in the raw object (the CRD fills in 10 %)',
    lull: '10 %',
    cases: { budgets: { 'badvalue/missing nodes': read('1 1 1 1') } },
  },
  'an empty list against none': {
    clause: 'I1',
    upstream: 'another hash',
    lull: 'the pool requires the same',
    cases: { drift: { 'hash/taints absent vs empty list': { drifted: false } } },
  },
  'expireAfter absent': {
    clause: 'A3',
    upstream: 'never in the raw object (the CRD fills in 720h)',
    lull: '720h',
    cases: { drift: { 'hash/expireAfter absent': { drifted: false } } },
  },
  'kubelet settings': {
    clause: 'I1',
    upstream: 'an unknown field of v1, ignored',
    lull: 'drift',
    cases: { drift: { 'hash/unknown template field': { drifted: true } } },
  },
  'static pools': {
    clause: 'A3',
    upstream: 'keep an old condition Consolidatable, which nothing reads',
    lull: 'PolicyOff',
    cases: { consolidatable: { 'pool/static keeps an old one': { consolidatable: false } } },
  },
  'requirements that cannot be asked': {
    clause: 'C1',
    upstream: 'the function evaluates them, or panics (admission rejects them)',
    lull: 'a fault of the pool',
    cases: {
      selectors: each(
        [
          'In/values absent',
          'NotIn/empty values, missing key',
          'Gt/non-numeric bound',
          'Gt/two values',
          'Lt/non-numeric bound',
          'Lt/two values',
          'Lt/no values',
          'Gte/no values',
          'Lte/non-numeric bound',
          'Lte/two values',
          'Lte/no values',
          'operator/lower case',
          'operator/unknown, missing key',
        ],
        { compatible: 'fault' },
      ),
    },
  },
  "Karpenter's taint without DisruptionReason": {
    clause: 'C4',
    upstream: 'a node with only the taint karpenter.sh/disrupted is left over from an earlier Karpenter',
    lull: 'Karpenter has taken it: versions 1.0 and 1.1 set no condition, later ones set it after the taint',
    cases: {
      consumed: { 'odd/tainted only': perReason('p', '5 1 2') },
      candidates: {
        'filter/already tainted disrupted': {
          ...judged('underway', 'a'),
          ...noDrift,
          ...noEmptiness,
          'Drift budget p': 1,
          'Emptiness budget p': 1,
          'SingleNodeConsolidation budget p': 1,
          'StaticDrift budget p': 1,
        },
      },
    },
  },
  'a selector without expressions': {
    clause: 'D2',
    upstream: 'an empty node selector term means no node',
    lull: 'a window with an empty selector applies to every node',
    cases: { selectors: { 'several/no requirements': { matches: true } } },
  },
  'pods of other nodes that fit nowhere': {
    clause: 'F6',
    upstream: 'one of them, on a node that is being deleted, stops all',
    lull: 'only its own pods hold a node',
    cases: {
      candidates: {
        'drift/pod on a deleting node that fits nowhere stops all': { 'Drift command': 'a +1', 'Drift count': 1 },
      },
    },
  },
  'unknown instance types': {
    clause: 'F5',
    upstream: 'such nodes are not consolidated',
    lull: 'not by replacement, but by removal',
    cases: {
      candidates: each(['filter/instance type missing, with a pod', 'filter/instance type unknown, with a pod'], {
        'SingleNodeConsolidation candidates': 'a',
        'SingleNodeConsolidation command': 'a',
        'SingleNodeConsolidation count': 1,
        consolidation: 'a: saves 0.00, moves 1',
      }),
    },
  },
  'what an instance type keeps for itself': {
    clause: 'F5',
    upstream: 'its own test types keep 100m of their cores for the kubelet, which the vectors do not show',
    lull: 'the catalogue gives the capacity for pods: two pods of one core each fill a node of two, which saves more',
    cases: {
      candidates: {
        'consolidate/spot deleted when pods fit elsewhere': { consolidation: 'a b +1: saves 0.24, moves 2' },
      },
    },
  },
  'grace periods of repair policies': {
    clause: 'A2',
    upstream: "bound the drain, so that a pod's opt-out does not refuse repair",
    lull: "has no such policies: the claim's own grace period alone does",
    cases: { repair: { 'pods/do-not-disrupt, policy 10m': { candidates: '', command: 'none', count: 0 } } },
  },
};

export const differences: readonly Difference[] = [listed, ours].flatMap((table) => Object.values(table));
