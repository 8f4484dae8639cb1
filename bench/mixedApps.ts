// Apps of a mixed cluster, of many sizes; a fifth of them have rules about where their pods may run.
import { mulberry32 } from './random.ts';

export interface MixedApp {
  readonly name: string;
  readonly namespace: string;
  /** Milli-cores and Mi. */
  readonly cpu: number;
  readonly memory: number;
  /** Its placement rule; undefined for four of five. */
  readonly rule?: Rule;
  /** Only for nodes of this kind; undefined = it runs on any node without a taint. */
  readonly dedicatedTo?: string;
  /** Selected by a rule `selector`. */
  readonly zone: string;
  /** How many pods are where, so that the cluster starts in a state that its rules allow. */
  readonly placed: { readonly zones: Map<string, number>; lastNode: string };
}

type Rule = 'zoneSpread' | 'hostSpread' | 'apart' | 'selector' | 'together';

export const zones = ['zone-a', 'zone-b', 'zone-c'];
const zoneKey = 'topology.kubernetes.io/zone';
const hostKey = 'kubernetes.io/hostname';

export const appSizes = [50, 100, 150, 200, 250, 300, 400, 500, 750, 1000, 1500, 2000];
/** Mi per core. */
const memoryRatios = [1024, 2048, 3072, 4096, 6144];

/** How many of a hundred apps have the rule; with those for a dedicated pool a fifth in all. */
const shares: readonly (readonly [Rule, number])[] = [
  ['zoneSpread', 6],
  ['hostSpread', 2],
  ['apart', 6],
  ['selector', 3],
  ['together', 2],
];

export function makeApps(count: number, dedicated: readonly string[]): readonly MixedApp[] {
  const random = mulberry32(7);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
  return Array.from({ length: count }, (_, index) => {
    const cpu = appSizes[index % appSizes.length] as number;
    const rule = ruleAt(random() * 100);
    return {
      name: `app-${index}`,
      namespace: `ns-${index % 40}`,
      cpu,
      memory: Math.round((cpu / 1000) * pick(memoryRatios)),
      ...(rule && { rule }),
      ...(random() < 0.1 && { dedicatedTo: pick(dedicated) }),
      zone: pick(zones),
      placed: { zones: new Map(zones.map((zone) => [zone, 0])), lastNode: '' },
    };
  });
}

function ruleAt(percent: number): Rule | undefined {
  let upTo = 0;
  for (const [rule, share] of shares) {
    upTo += share;
    if (percent < upTo) return rule;
  }
  return undefined;
}

/** Whether one more of its pods may be placed on a node that is being filled. */
export function mayPlace({ rule, zone: asked, placed }: MixedApp, node: string, zone: string): boolean {
  if (rule === 'selector' || rule === 'together') return asked === zone;
  if (rule === 'apart') return placed.lastNode !== node;
  if (rule !== 'zoneSpread') return true;
  const least = Math.min(...placed.zones.values());
  return (placed.zones.get(zone) ?? 0) <= least;
}

export function countPlaced({ placed }: MixedApp, node: string, zone: string): void {
  placed.lastNode = node;
  placed.zones.set(zone, (placed.zones.get(zone) ?? 0) + 1);
}

/** The parts of a pod's spec that the scheduler reads, except its requests. */
export function rulesOf({ name, rule, zone, dedicatedTo }: MixedApp): Readonly<Record<string, unknown>> {
  const labelSelector = { matchLabels: { app: name } };
  const hard = 'requiredDuringSchedulingIgnoredDuringExecution';
  return {
    ...(dedicatedTo !== undefined && {
      tolerations: [{ key: 'dedicated', operator: 'Equal', value: dedicatedTo, effect: 'NoSchedule' }],
    }),
    ...((dedicatedTo !== undefined || rule === 'selector') && {
      nodeSelector: {
        ...(dedicatedTo !== undefined && { 'karpenter.sh/nodepool': dedicatedTo }),
        ...(rule === 'selector' && { [zoneKey]: zone }),
      },
    }),
    ...(rule === 'zoneSpread' && {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: zoneKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector },
      ],
    }),
    ...(rule === 'hostSpread' && {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: hostKey, whenUnsatisfiable: 'ScheduleAnyway', labelSelector },
      ],
    }),
    ...(rule === 'apart' && {
      affinity: { podAntiAffinity: { [hard]: [{ labelSelector, topologyKey: hostKey }] } },
    }),
    ...(rule === 'together' && {
      affinity: { podAffinity: { [hard]: [{ labelSelector, topologyKey: zoneKey }] } },
    }),
  };
}
