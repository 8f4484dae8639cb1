// Describes HealthGates: what each checks, what it holds meanwhile, and its state now.
import { gateStateAt } from '../cluster/gateState.ts';
import type { HealthCheck, HealthGate } from '../cluster/healthGateRecord.ts';
import type { Cluster } from '../cluster/store.ts';
import { describeDuration } from '../time/describeClock.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { count, orList } from '../time/lists.ts';
import { describeActions, describeSelected } from './describeWindow.ts';

/** Without its name: `holds drift on every node (4 of 11 nodes today) while the query … returns a series; open since …` */
export function describeGate(gate: HealthGate, cluster: Cluster, now: Instant): string {
  const { check, reasons, selector = [], note, fault } = gate;
  const managed = cluster.nodes.filter((view) => view.managed);
  const selected = managed.filter((view) => view.gates.some((ref) => ref.gate === gate)).length;
  const today =
    managed.length === 0 ? '' : ` (${selected === 0 ? 'none' : selected} of ${count(managed.length, 'node')} today)`;
  const what = `${describeActions(reasons)} on ${describeSelected('node', { requirements: selector })}${today}`;
  const noteText = note ? `; note: ${note.replace(/\.$/, '')}` : '';
  if (fault || !check) return `is invalid, so it holds ${what}${noteText}. ${fault?.path}: ${fault?.message}`;
  const { state, since, message } = gateStateAt(gate, now);
  const from = since === undefined ? '' : ` since ${formatInstant(since)}`;
  const why = state === 'open' ? '' : `: ${message}`;
  return `holds ${what} while ${describeCheck(check)}${describeDelays(gate)}${noteText}. Now ${state}${from}${why}.`;
}

function describeCheck(check: HealthCheck): string {
  switch (check.type) {
    case 'prometheus':
      return `the query \`${check.query}\` returns a series`;
    case 'alerts':
      return `an alert is firing${describeMatchers(' with', check.match)}${describeMatchers(', except those with', check.except)}`;
    case 'http':
      return `${check.url} does not answer ${orList(check.status.map(String))}`;
    case 'manual':
      return 'it is switched to unhealthy';
    case 'object': {
      const which = check.name === undefined ? `every selected ${check.kind}` : `${check.kind} ${check.name}`;
      const place = check.kubeconfigSecret === undefined ? '' : ' of another cluster';
      const must = check.condition
        ? `has condition ${check.condition.type} ${check.condition.status}`
        : `satisfies \`${check.cel}\``;
      return `it is not true that ${which}${place} ${must}`;
    }
  }
}

function describeMatchers(intro: string, matchers: Readonly<Record<string, string>>): string {
  const words = Object.entries(matchers).map(([label, pattern]) => `${label}=~"${pattern}"`);
  return words.length === 0 ? '' : `${intro} ${words.join(', ')}`;
}

function describeDelays({ check, failAfter, recoverAfter, onUnknown }: HealthGate): string {
  const fails = failAfter === 0 || check?.type === 'manual' ? '' : ` for ${describeDuration(failAfter)}`;
  const recovers = recoverAfter === 0 ? '' : `, and until that has been over for ${describeDuration(recoverAfter)}`;
  const unknown =
    check?.type === 'manual'
      ? ''
      : onUnknown === 'Hold'
        ? '; also while the result is unknown'
        : '; not while the result is unknown';
  return `${fails}${recovers}${unknown}`;
}
