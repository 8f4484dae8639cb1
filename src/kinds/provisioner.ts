// What does an older Provisioner ask for (A7)? Read as a pool: v1alpha5, and v1beta1 as in the deprovisioning document.
import type { Pool } from '../cluster/model.ts';
import { parseDuration } from '../time/duration.ts';
import { asDuration, type Duration, second } from '../time/instant.ts';
import { longestLabel, readMetadata } from './metadata.ts';
import { defaultConsolidateAfter, defaultExpireAfter, finishPool, readPoolBudgets, readWeight } from './nodePool.ts';
import type { Reader } from './reader.ts';
import { readTemplate } from './template.ts';

const maxSeconds = 2 ** 31 - 1;

export function readProvisioner(object: Reader): Pool {
  const metadata = readMetadata(object);
  const spec = object.map('spec');
  // What v1alpha5 does not say is off; in v1beta1 it has the defaults of today.
  const alpha = object.raw('apiVersion') === 'karpenter.sh/v1alpha5';
  return finishPool(object, metadata, {
    ...readPoolBudgets(metadata, spec.map('disruption')),
    // Its Karpenter knows no budgets.
    karpenterFault: undefined,
    karpenterBudgets: [],
    mirror: undefined,
    ...readConsolidation(spec, alpha),
    expireEarlyAfter: undefined,
    repairAfter: spec.durationOr('ttlAfterNotReady', 'Never') ?? (alpha ? 'Never' : undefined),
    replicas: undefined,
    limits: spec.map('limits').resources('resources'),
    weight: readWeight(spec),
    template: readProvisionerTemplate(spec, alpha),
    provisioner: true,
  });
}

function readConsolidation(spec: Reader, alpha: boolean): Pick<Pool, 'consolidationPolicy' | 'consolidateAfter'> {
  const afterEmpty = spec.whole('ttlSecondsAfterEmpty', 0, maxSeconds);
  const enabled = spec.map('consolidation').boolean('enabled');
  if (enabled && afterEmpty !== undefined) {
    spec.fault('ttlSecondsAfterEmpty', 'This cannot stand beside consolidation.enabled: true. Keep one of the two.');
  }
  if (enabled) return { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: defaultConsolidateAfter };
  if (afterEmpty !== undefined)
    return { consolidationPolicy: 'WhenEmpty', consolidateAfter: asDuration(afterEmpty * second) };
  const off = alpha || enabled === false;
  return { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: off ? 'Never' : defaultConsolidateAfter };
}

/** v1alpha5 has the fields of the template in `spec`; the document gathers them under `template`. */
function readProvisionerTemplate(spec: Reader, alpha: boolean): Pool['template'] {
  const template = spec.has('template') ? spec.map('template') : spec;
  const metadata = template.has('metadata') ? template.map('metadata') : template;
  return readTemplate({
    spec: template.has('spec') ? template.map('spec') : template,
    labels: metadata.textMap('labels', longestLabel),
    annotations: metadata.textMap('annotations'),
    expireAfter: readExpiry(spec) ?? (alpha ? 'Never' : defaultExpireAfter),
  });
}

function readExpiry(spec: Reader): Duration | 'Never' | undefined {
  const seconds = spec.whole('ttlSecondsUntilExpired', 0, maxSeconds);
  const text = spec.raw('ttlAfterCreated');
  if (typeof text !== 'string' || text === 'Never') {
    return (
      spec.durationOr('ttlAfterCreated', 'Never') ?? (seconds === undefined ? undefined : asDuration(seconds * second))
    );
  }
  // The document writes 1d, which Go does not know.
  const hours = text.replace(/(?<![\d.])(\d{1,9}(?:\.\d{1,9})?)d/g, (_, days: string) => `${Number(days) * 24}h`);
  const duration = parseDuration(hours);
  if (duration !== undefined && duration >= 0) return duration;
  return spec.wrong('ttlAfterCreated', 'duration', 'Use a Go duration such as 720h, days such as 30d, or Never.');
}
