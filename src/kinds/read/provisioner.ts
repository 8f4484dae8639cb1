// Provisioners read as pools (A7): v1alpha5, and v1beta1 as in the deprovisioning design document.
import type { Pool } from '../../cluster/model.ts';
import { parseDuration } from '../../time/duration.ts';
import { asDuration, type Duration, second } from '../../time/instant.ts';
import { longestLabel, readMetadata } from './metadata.ts';
import {
  defaultConsolidateAfter,
  defaultExpireAfter,
  finishPool,
  readPoolBudgets,
  readTemplate,
  readWeight,
} from './nodePool.ts';
import { maxInt32, type Reader } from './reader.ts';

export function readProvisioner(object: Reader): Pool {
  const metadata = readMetadata(object);
  const spec = object.map('spec');
  // An absent field means off in v1alpha5, and today's default in v1beta1.
  const alpha = object.raw('apiVersion') === 'karpenter.sh/v1alpha5';
  return finishPool(object, metadata, {
    ...readPoolBudgets(metadata, spec.map('disruption')),
    // The Karpenter versions with Provisioners have no budgets.
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
  const afterEmpty = spec.whole('ttlSecondsAfterEmpty', 0, maxInt32);
  const enabled = spec.map('consolidation').boolean('enabled');
  if (enabled && afterEmpty !== undefined) {
    spec.fault(
      'ttlSecondsAfterEmpty',
      'ttlSecondsAfterEmpty cannot be combined with consolidation.enabled: true. Keep one of the two.',
    );
  }
  if (enabled) return { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: defaultConsolidateAfter };
  if (afterEmpty !== undefined)
    return { consolidationPolicy: 'WhenEmpty', consolidateAfter: asDuration(afterEmpty * second) };
  const off = alpha || enabled === false;
  return { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: off ? 'Never' : defaultConsolidateAfter };
}

/** v1alpha5 has the template fields directly in `spec`; the deprovisioning document has them under `template`. */
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
  const seconds = spec.whole('ttlSecondsUntilExpired', 0, maxInt32);
  const text = spec.raw('ttlAfterCreated');
  if (typeof text !== 'string' || text === 'Never') {
    return (
      spec.durationOr('ttlAfterCreated', 'Never') ?? (seconds === undefined ? undefined : asDuration(seconds * second))
    );
  }
  // The deprovisioning document uses days, such as 1d, which Go durations do not have.
  const hours = text.replace(/(?<![\d.])(\d{1,9}(?:\.\d{1,9})?)d/g, (_, days: string) => `${Number(days) * 24}h`);
  const duration = parseDuration(hours);
  if (duration !== undefined && duration >= 0) return duration;
  return spec.wrong('ttlAfterCreated', 'duration', 'Use a Go duration such as 720h, days such as 30d, or Never.');
}
