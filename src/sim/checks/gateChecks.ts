// Checks that nothing is started under a closed or unknown HealthGate, by its own reading of spec and status (O4, O5).
import { matchesAll } from '../../cluster/selector.ts';
import { isMap, type Json, mapIn } from '../../kinds/read/reader.ts';
import { parseDuration } from '../../time/duration.ts';
import type { Instant } from '../../time/instant.ts';
import { instantOf, type KubeObject } from '../kubeObject.ts';
import type { AuthorView } from './authorView.ts';
import { compiled } from './compiledPolicies.ts';
import { type CheckFinding, finding, type StartedNode } from './ledgerWrite.ts';

export const gatesForbid = ({ host, reason, at }: StartedNode, sight: Pick<AuthorView, 'list'>): CheckFinding[] =>
  [...sight.list('HealthGate')].flatMap((object) => {
    const { reasons, selector } = compiled('HealthGate', object);
    const isMeant = [...reasons].some((it) => it === reason) && (!selector || matchesAll(selector, host.labels));
    return isMeant && isHolding(object, at)
      ? [finding('O4', `gate ${object.metadata.name} holds ${reason} on ${host.name}`)]
      : [];
  });

function isHolding(object: KubeObject, at: Instant): boolean {
  const spec = mapIn(object.spec);
  const manual = mapIn(spec.check).manual;
  if (compiled('HealthGate', object).fault) return true;
  const status = mapIn(object.status);
  if (isMap(manual)) return manual.healthy !== true || (status.state !== undefined && !isRecovered(spec, status, at));
  const age = at - timeIn(status, 'checkedAt');
  if (!(age < 3 * durationIn(spec, 'interval', '30s')))
    return spec.onUnknown !== 'Ignore' || status.closedSince !== undefined;
  if (status.state === 'Healthy') return !isRecovered(spec, status, at);
  if (status.state === 'Unhealthy')
    return status.closedSince !== undefined || at - timeIn(status, 'since') >= durationIn(spec, 'failAfter', '0s');
  return spec.onUnknown !== 'Ignore' || status.closedSince !== undefined;
}

const isRecovered = (spec: Json, status: Json, at: Instant): boolean =>
  status.state === 'Healthy' &&
  (status.closedSince === undefined || at - timeIn(status, 'since') >= durationIn(spec, 'recoverAfter', '5m'));

const timeIn = (status: Json, field: string): number => instantOf(status[field]) ?? Number.NaN;

const durationIn = (spec: Json, field: string, usual: string): number =>
  parseDuration(typeof spec[field] === 'string' ? spec[field] : usual) ?? Number.NaN;
