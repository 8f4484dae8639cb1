// Random pod spread, affinity and anti-affinity, required and preferred.
import type {
  RawAffinity,
  RawPodAffinity,
  RawPodAffinityTerm,
  RawSpreadConstraint,
} from '../../src/sim/actors/rawObjects.ts';
import type { Random } from '../../src/sim/random.ts';
import { hostLabel, namespaces, rackLabel, zoneLabel } from './names.ts';
import { randomTerms } from './randomAsks.ts';

/** The owner of the rules: the labels of its pods, and the other apps. */
export interface Asker {
  readonly app: string;
  readonly apps: readonly string[];
  readonly nodes: readonly string[];
  readonly random: Random;
}

export function randomSpread(asker: Asker): RawSpreadConstraint[] {
  const { random } = asker;
  const first = constraint(asker, random.pick([zoneLabel, zoneLabel, hostLabel, rackLabel]));
  if (!random.chance(0.25)) return [first];
  const second = constraint(asker, random.pick([zoneLabel, hostLabel]));
  return second.topologyKey === first.topologyKey ? [first] : [first, second];
}

function constraint({ app, random }: Asker, topologyKey: string): RawSpreadConstraint {
  const isHard = random.chance(0.75);
  const labelSelector = random.pick([
    { matchLabels: { app } },
    { matchLabels: { app } },
    { matchExpressions: [{ key: 'app', operator: 'In', values: [app, 'other'] }] },
    { matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
    { matchLabels: { tier: 'nobody' } },
    {},
  ]);
  return {
    topologyKey,
    maxSkew: random.pick([1, 1, 2, 3]),
    whenUnsatisfiable: isHard ? 'DoNotSchedule' : 'ScheduleAnyway',
    labelSelector,
    ...(isHard && random.chance(0.3) && { minDomains: 1 + random.whole(4) }),
    ...(random.chance(0.3) && { matchLabelKeys: ['pod-template-hash'] }),
    ...(random.chance(0.3) && { nodeAffinityPolicy: random.pick(['Honor', 'Ignore']) }),
    ...(random.chance(0.35) && { nodeTaintsPolicy: random.pick(['Honor', 'Ignore']) }),
  };
}

function term({ app, apps, random }: Asker, isSelf: boolean): RawPodAffinityTerm {
  const of = isSelf ? app : random.pick(apps);
  const names = Object.keys(namespaces);
  const where = random.next();
  const selector = random.pick([
    { matchLabels: { app: of } },
    { matchLabels: { app: of } },
    { matchExpressions: [{ key: 'app', operator: 'In', values: [of] }] },
    { matchExpressions: [{ key: 'tier', operator: 'In', values: ['front', 'back'] }] },
    { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
    { matchExpressions: [{ key: 'app', operator: 'NotIn', values: [of, 'other'] }] },
    {
      matchExpressions: [
        { key: 'tier', operator: 'Exists' },
        { key: 'tier', operator: 'NotIn', values: ['front'] },
        { key: 'app', operator: 'NotIn', values: [of] },
      ],
    },
  ]);
  return {
    topologyKey: random.pick([hostLabel, hostLabel, zoneLabel, rackLabel]),
    labelSelector: selector,
    ...(where < 0.2 && {
      namespaces: [random.pick(names), random.pick(names)].filter((it, i, all) => all.indexOf(it) === i),
    }),
    ...(where > 0.15 && where < 0.4 && { namespaceSelector: random.pick(namespaceSelectors) }),
    ...(random.chance(0.15) && { matchLabelKeys: ['pod-template-hash'] }),
    ...(random.chance(0.1) && { mismatchLabelKeys: ['tenant'] }),
  };
}

const namespaceSelectors = [
  {},
  { matchLabels: { team: 'red' } },
  { matchExpressions: [{ key: 'stage', operator: 'Exists' }] },
  { matchExpressions: [{ key: 'stage', operator: 'NotIn', values: ['live'] }] },
] as const;

/** Affinity to others, or to its own pods, which the first of them could not satisfy. */
export const randomNear = (asker: Asker): RawPodAffinity => required(asker, asker.random.chance(0.5));

/** Anti-affinity, mostly to its own pods, as people write it. */
export const randomApart = (asker: Asker): RawPodAffinity => required(asker, asker.random.chance(0.6));

function required(asker: Asker, isSelf: boolean): RawPodAffinity {
  const terms = [term(asker, isSelf)];
  if (asker.random.chance(0.15)) terms.push(term(asker, isSelf));
  return { requiredDuringSchedulingIgnoredDuringExecution: terms };
}

/** Never a reason not to be scheduled. */
export function randomLikes(asker: Asker): RawAffinity {
  const { random, nodes } = asker;
  const weight = (): number => 1 + random.whole(100);
  const preferred = (): RawPodAffinity => ({
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight: weight(), podAffinityTerm: term(asker, random.chance(0.5)) },
    ],
  });
  const [preference] = randomTerms(random, nodes);
  const kind = random.whole(3);
  if (kind === 0) return { podAffinity: preferred() };
  if (kind === 1) return { podAntiAffinity: preferred() };
  return {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: weight(), preference: preference ?? {} }],
    },
  };
}
