// The load changes: a workload wants more pods, or fewer; once, or up and down like day and night.
import { asDuration, hour } from '../../../time/instant.ts';
import type { Stage } from '../happening.ts';
import { needDuration, needText, refuseUnknown } from '../known.ts';
import { mostOfAnything } from '../shape.ts';
import type { HappeningRow } from './row.ts';

const scalable = ['Deployment', 'StatefulSet'] as const;

interface Target {
  readonly kind: string;
  /** `namespace/name`. */
  readonly name: string;
}

function setReplicas({ kind, name }: Target, replicas: number, { world, tell }: Stage): void {
  const before = Number(world.objects.get(kind, name)?.spec?.replicas ?? 1);
  if (before === replicas) return;
  world.objects.write(kind, name, 'script', (object) => ({ ...object, spec: { ...object.spec, replicas } }));
  const way = before < replicas ? 'up' : 'down';
  const text = `${name} is scaled ${way} from ${before} to ${replicas} pods.`;
  tell({ kind: 'LoadChanged', workload: name, pods: { from: before, to: replicas }, text });
}

export const scale: HappeningRow = {
  name: 'scale',
  means: 'A Deployment or StatefulSet wants so many pods from now on.',
  example: '{ at: 1h, scale: { kind: Deployment, name: shop/web, replicas: 20 } }',
  read: (what) => {
    refuseUnknown(what, ['kind', 'name', 'replicas']);
    const target = readTarget(what);
    if (!what.has('replicas')) what.fault('replicas', 'There is no replicas. Give the number of pods.');
    const replicas = what.whole('replicas', 0, mostOfAnything) ?? 0;
    return (stage) => setReplicas(target, replicas, stage);
  },
};

/** How often within a period the load is set anew. */
const stepsAPeriod = 24;

export const load: HappeningRow = {
  name: 'load',
  means: 'From now on the load rises from least to most and falls again within each period, in 24 steps.',
  example: '{ at: 0s, load: { kind: Deployment, name: shop/web, least: 10, most: 40, period: 24h } }',
  read: (what) => {
    refuseUnknown(what, ['kind', 'name', 'least', 'most', 'period']);
    const target = readTarget(what);
    const least = what.whole('least', 0, mostOfAnything) ?? 0;
    const most = what.whole('most', 0, mostOfAnything) ?? 0;
    if (most < least) what.fault('most', `${most} is below least. Give a number of at least ${least}.`);
    const period = needDuration(what, 'period') ?? hour;
    return (stage) => {
      const step = (count: number): void => {
        // Half a cosine up, half a cosine down: flat where it turns, as days are.
        const share = (1 - Math.cos((2 * Math.PI * count) / stepsAPeriod)) / 2;
        setReplicas(target, Math.round(least + (most - least) * share), stage);
        stage.world.clock.in(asDuration(period / stepsAPeriod), () => step(count + 1));
      };
      step(0);
    };
  },
};

function readTarget(what: Parameters<HappeningRow['read']>[0]): Target {
  return {
    kind: what.oneOf('kind', scalable) ?? 'Deployment',
    name: withNamespace(needText(what, 'name', 'shop/web')),
  };
}

/** As kubectl does, where no namespace is said. */
export const withNamespace = (name: string): string => (name.includes('/') ? name : `default/${name}`);
