// What do the times of a Provisioner say in a NodePool (A7)? What v1alpha5 does not say is off, and is written out as such.
import { formatDuration } from '../../time/duration.ts';
import { asDuration, second } from '../../time/instant.ts';
import { valueAt } from '../edit/value.ts';
import { isMap, type Json } from '../reader.ts';
import { type Draft, isGiven } from './draft.ts';

export function moveTtls(draft: Draft, object: Json): void {
  const spec = valueAt(object, ['spec']);
  const fields = isMap(spec) ? spec : {};
  const alpha = object.apiVersion === 'karpenter.sh/v1alpha5';
  moveExpiry(draft, fields, alpha);
  moveConsolidation(draft, fields, alpha);
  moveRepair(draft, fields, alpha);
}

const seconds = (count: unknown): string => formatDuration(asDuration(Number(count) * second));

const wasOff = 'v1alpha5 leaves this off where nothing is said; written out, since today it is on';

const expiryPath = 'spec.template.spec.expireAfter';

function moveExpiry(draft: Draft, spec: Json, alpha: boolean): void {
  const { ttlAfterCreated, ttlSecondsUntilExpired } = spec;
  if (isGiven(ttlAfterCreated)) {
    // The document writes 1d, which Go does not know.
    const text = String(ttlAfterCreated).replace(/(\d+(?:\.\d+)?)d/g, (_, days: string) => `${Number(days) * 24}h`);
    draft.moveAs('spec.ttlAfterCreated', expiryPath, text);
    draft.say('spec.ttlAfterCreated', `now ${expiryPath}: ${text}`);
    if (!isGiven(ttlSecondsUntilExpired)) return;
    draft.remove('spec.ttlSecondsUntilExpired');
    draft.say('spec.ttlSecondsUntilExpired', 'removed: ttlAfterCreated is given too and wins');
  } else if (isGiven(ttlSecondsUntilExpired)) {
    draft.moveAs('spec.ttlSecondsUntilExpired', expiryPath, seconds(ttlSecondsUntilExpired));
    draft.say('spec.ttlSecondsUntilExpired', `now ${expiryPath}: ${seconds(ttlSecondsUntilExpired)}`);
  } else if (alpha) {
    draft.set(expiryPath, 'Never');
    draft.say(expiryPath, `set to Never: ${wasOff}`);
  }
}

const policyPath = 'spec.disruption.consolidationPolicy';
const afterPath = 'spec.disruption.consolidateAfter';

function moveConsolidation(draft: Draft, spec: Json, alpha: boolean): void {
  const { ttlSecondsAfterEmpty, consolidation } = spec;
  const enabled = isMap(consolidation) ? consolidation.enabled : undefined;
  if (enabled === true) {
    draft.moveAs('spec.consolidation.enabled', policyPath, 'WhenEmptyOrUnderutilized');
    draft.set(afterPath, '15s');
    draft.say(
      'spec.consolidation.enabled',
      `now ${policyPath}: WhenEmptyOrUnderutilized, after the 15s that were fixed then`,
    );
  } else if (isGiven(ttlSecondsAfterEmpty)) {
    draft.set(policyPath, 'WhenEmpty');
    draft.moveAs('spec.ttlSecondsAfterEmpty', afterPath, seconds(ttlSecondsAfterEmpty));
    if (enabled === false) draft.remove('spec.consolidation.enabled');
    draft.say(
      'spec.ttlSecondsAfterEmpty',
      `now ${afterPath}: ${seconds(ttlSecondsAfterEmpty)}, for empty nodes alone (WhenEmpty)`,
    );
  } else if (enabled === false) {
    draft.moveAs('spec.consolidation.enabled', afterPath, 'Never');
    draft.say('spec.consolidation.enabled', `now ${afterPath}: Never`);
  } else if (alpha) {
    draft.set(afterPath, 'Never');
    draft.say(afterPath, `set to Never: ${wasOff}`);
  }
  if (isMap(consolidation) && Object.keys(consolidation).every((key) => key === 'enabled'))
    draft.remove('spec.consolidation');
}

const repairPath = 'spec.disruption.repairAfter';
const patchedOnly =
  "Karpenter's own CRD has no repairAfter: it is kept where Lull owns the CRD or has patched it (lull install --patch-nodepool-crd)";

function moveRepair(draft: Draft, spec: Json, alpha: boolean): void {
  if (isGiven(spec.ttlAfterNotReady)) {
    draft.move('spec.ttlAfterNotReady', repairPath);
    draft.say('spec.ttlAfterNotReady', `moved to ${repairPath}`, { karpenter: patchedOnly });
  } else if (alpha) {
    draft.set(repairPath, 'Never');
    draft.say(repairPath, `set to Never: ${wasOff}`, { karpenter: patchedOnly });
  }
}
