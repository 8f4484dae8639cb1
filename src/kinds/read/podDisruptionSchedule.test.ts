import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { asInstant, hour, parseInstant } from '../../time/instant.ts';
import { never } from '../../time/window.ts';
import { readObject } from '../readObject.ts';

const saturday = parseInstant('2026-11-14T02:00:00Z') ?? asInstant(NaN);

function schedule(spec: string, apiVersion = 'karpenter.sh/v1alpha1') {
  const result = readObject({ apiVersion, kind: 'PodDisruptionSchedule', metadata: { name: 's' }, spec: parse(spec) });
  if (result.kind !== 'PodDisruptionSchedule') throw new Error(result.kind);
  return result;
}

describe('E7: a PodDisruptionSchedule', () => {
  it.each(['karpenter.sh/v1alpha1', 'karpenter.sh/v1'])('is read from %s', (apiVersion) => {
    const { record, faults } = schedule(
      '{selector: {matchLabels: {app: ml}}, schedule: "0 2 * * 6", duration: 4h}',
      apiVersion,
    );
    expect(faults).toEqual([]);
    expect(record).toMatchObject({
      name: 's',
      mode: 'Allow',
      selector: { requirements: [{ key: 'app', operator: 'In', values: ['ml'] }] },
    });
    expect(record.window.nextChange(saturday)).toBe(saturday + 4 * hour);
    expect(record.namespaces).toBeUndefined();
  });

  it('may block, in a zone, in some namespaces, for an hour by default', () => {
    const { record, faults } = schedule(
      '{selector: {}, namespaceSelector: {matchLabels: {team: a}}, schedule: "0 11 * * *", timeZone: Asia/Seoul, mode: Block}',
    );
    expect(faults).toEqual([]);
    expect(record).toMatchObject({
      mode: 'Block',
      selector: { requirements: [] },
      namespaces: { requirements: [{ key: 'team' }] },
    });
    expect(record.window.nextChange(saturday)).toBe(saturday + hour);
  });

  const right = 'selector: {matchLabels: {app: ml}}, mode: Block';
  it.each([
    { spec: `{${right}, schedule: often}`, path: 'spec.schedule' },
    { spec: `{${right}}`, path: 'spec.schedule' },
    { spec: `{${right}, schedule: "0 0 30 2 *"}`, path: 'spec.schedule' },
    { spec: `{${right}, schedule: "0 2 * * 6", duration: long}`, path: 'spec.duration' },
    { spec: `{${right}, schedule: "0 2 * * 6", duration: 30s}`, path: 'spec.duration' },
    { spec: `{${right}, schedule: "0 2 * * 6", timeZone: Mars}`, path: 'spec.timeZone' },
    { spec: '{selector: {matchLabels: {app: ml}}, schedule: "0 2 * * 6", mode: Deny}', path: 'spec.mode' },
  ])('$spec fails closed: its pods stay', ({ spec, path }) => {
    const { record, faults } = schedule(spec);
    expect(record).toMatchObject({ mode: 'Allow', window: never, selector: { requirements: [{ key: 'app' }] } });
    expect(record.fault).toMatchObject({ path, severity: 'error' });
    expect(faults).toHaveLength(1);
  });

  it.each([
    { spec: '{schedule: "0 2 * * 6"}', path: 'spec.selector' },
    { spec: '{schedule: "0 2 * * 6", selector: all}', path: 'spec.selector' },
    {
      spec: '{schedule: "0 2 * * 6", selector: {matchExpressions: [{key: a, operator: Gt, values: ["1"]}], matchLabels: {b: c}}}',
      path: 'spec.selector.matchExpressions[0].operator',
    },
  ])('$spec holds every pod', ({ spec, path }) => {
    const { record } = schedule(spec);
    expect(record).toMatchObject({ selector: { requirements: [] }, window: never, fault: { path } });
  });

  it('a bad namespaceSelector means every namespace', () => {
    const { record } = schedule(`{${right}, schedule: "0 2 * * 6", namespaceSelector: {matchLabels: {a: "!"}}}`);
    expect(record.namespaces).toBeUndefined();
    expect(record.fault).toMatchObject({ path: 'spec.namespaceSelector.matchLabels.a' });
  });
});

describe('K4: unknown fields of a PodDisruptionSchedule', () => {
  it.each([
    ['{selector: {matchLables: {a: b}}, schedule: "@daily"}', 'spec.selector.matchLables'],
    ['{selector: {}, schedule: "@daily", timezone: UTC}', 'spec.timezone'],
    ['{selector: {}, schedule: "@daily", namespaceSelector: {labels: {a: b}}}', 'spec.namespaceSelector.labels'],
  ])('in %s', (text, path) => {
    expect(schedule(text).faults).toMatchObject([{ severity: 'warning', path, meant: expect.anything() }]);
  });
});
