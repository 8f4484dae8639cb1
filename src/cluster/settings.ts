// Lull's settings (M): form, default and description of each. The readers, the reference and the chart are built from this table.
import { asDuration, type Duration, hour, minute, second } from '../time/instant.ts';
import type { NodeCount } from './model.ts';
import type { Selector } from './selector.ts';

/** The value type of each form of setting, apart from `choice`. */
export interface SettingForms {
  duration: Duration;
  durationOrAuto: Duration | 'auto';
  nodeCount: NodeCount;
  /** Absent = everything. */
  selector: Selector | undefined;
  /** In percent. */
  percent: number;
  /** Per hour. */
  price: number;
  boolean: boolean;
  catalogue: readonly InstanceType[];
  metricsSource: string;
  text: string | undefined;
}

const setting = <Form extends keyof SettingForms>(form: Form, byDefault: SettingForms[Form], description: string) => ({
  form,
  byDefault,
  description,
});

/** The first value is the default. */
const choice = <Value extends string>(values: readonly [Value, ...Value[]], description: string) => ({
  form: 'choice' as const,
  byDefault: values[0],
  description,
  values,
});

export const settingTable = {
  role: choice(
    ['observe', 'guide', 'drive'],
    'observe: decide and report; guide: offer nodes that may be disrupted to Karpenter; drive: disrupt them itself (N1)',
  ),
  pools: setting('selector', undefined, 'label selector of the pools that Lull governs (M)'),
  defaultBudgets: choice(
    ['fallback', 'ceiling'],
    'fallback: budgets without reasons apply to reasons that no other budget names; ceiling: they apply to every reason, as in Karpenter (C5)',
  ),
  endingMachines: choice(
    ['count', 'ignore'],
    'count: a node uses its unit of a budget until its machine is gone; ignore: only until its machine begins to end, as in Karpenter (C3)',
  ),
  expiration: choice(
    ['graceful', 'forceful'],
    'graceful: expiry respects budgets, windows and pods; forceful: it ignores them, as in Karpenter (A4)',
  ),
  expireLead: setting(
    'durationOrAuto',
    'auto',
    "how long before Karpenter's forceful expiry a node gets the wish Expired; auto computes it (N7)",
  ),
  drift: choice(
    ['claims', 'computed'],
    "claims: a node is drifted if its NodeClaim's condition says so; computed: Lull compares the pool's template with the claim (I5)",
  ),
  repairAfter: setting(
    'duration',
    asDuration(30 * minute),
    'how long a node may be not Ready before it is Unhealthy, unless its pool sets repairAfter (A)',
  ),
  repairBreaker: setting(
    'nodeCount',
    { percent: 20 },
    'repair stops in a pool while more than this many of its nodes are not Ready (A5)',
  ),
  windowMargin: setting(
    'duration',
    asDuration(0),
    'no disruption starts within this time before the window that permits it closes (B8)',
  ),
  consolidationPause: setting(
    'duration',
    asDuration(15 * second),
    'how long a consolidation waits before it is validated again and started (G1)',
  ),
  replacementTimeout: setting(
    'duration',
    asDuration(10 * minute),
    'how long a replacement may take before the command is rolled back (G4)',
  ),
  replacementSlow: setting(
    'duration',
    asDuration(2 * minute),
    'a NodeClaim that is not Initialized this long after its creation is reported; in guide mode its pool gets no more offers until the claim is Initialized or gone (F7)',
  ),
  drainTimeout: setting('duration', hour, 'how long a drain may make no progress before the node is released (G7)'),
  offerTimeout: setting(
    'duration',
    asDuration(2 * minute),
    'how long a node stays offered to Karpenter before the offer is withdrawn (N3)',
  ),
  offerTimeoutUnderutilized: setting(
    'duration',
    asDuration(6 * minute),
    'the same for consolidation, which Karpenter evaluates less often (N3)',
  ),
  minimumSavings: setting(
    'percent',
    0,
    'consolidation must save at least this percentage of the price of the removed nodes (A)',
  ),
  podMoveCost: setting(
    'price',
    0,
    'consolidation must save more than this price per hour for each pod it moves; prevents swaps between nearly equal nodes (A)',
  ),
  spotToSpot: setting(
    'boolean',
    false,
    'whether spot nodes are consolidated into cheaper spot nodes when at least 15 instance types remain to choose from (A)',
  ),
  catalogue: setting(
    'catalogue',
    [],
    "instance types and prices in addition to those of existing nodes: a list, a file with a list, or a file of Karpenter's metrics (F5)",
  ),
  withhold: setting(
    'text',
    undefined,
    'in guide mode: a text that stops all offers, so that every governed node stays parked; Lull sets it itself while Karpenter is not running or has an unknown version (N11)',
  ),
  karpenterMetrics: setting(
    'metricsSource',
    'auto',
    "where to read Karpenter's metrics with instance types and prices: auto finds its Service, a URL names the endpoint, off reads none (F5)",
  ),
};

type Values = { readonly [Key in keyof typeof settingTable]: (typeof settingTable)[Key]['byDefault'] };
type Absent = 'pools' | 'withhold';

export type Settings = Omit<Values, Absent> & { readonly [Key in Absent]?: Exclude<Values[Key], undefined> };

export const settingKeys = Object.keys(settingTable) as (keyof Settings)[];

const defaults = Object.entries(settingTable).map(([key, entry]) => [key, entry.byDefault] as const);

export const defaultSettings = Object.fromEntries(defaults.filter(([, value]) => value !== undefined)) as Settings;

/** Whether Karpenter disrupts nodes too, so that its own reading of a pool's budgets applies as well (N4). In drive mode only Lull does. */
export const isBesideKarpenter = ({ role }: Pick<Settings, 'role'>): boolean => role !== 'drive';

/** An instance type with its offerings (F5). */
export interface InstanceType {
  readonly name: string;
  readonly allocatable: Readonly<Record<string, number>>;
  readonly offerings: readonly Offering[];
  /** The labels its nodes will have, as far as known. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Allocatable is estimated from the machine size. Existing nodes of the type override it. */
  readonly estimated?: true;
}

export interface Offering {
  readonly zone: string;
  readonly capacityType: string;
  readonly price: number;
  readonly available: boolean;
}
