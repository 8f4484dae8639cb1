import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  longAgo,
  machine,
  type Objects,
  type Plain,
  pdb,
  pod,
  podSchedule,
  pool,
  refusalOf,
  startsOf,
} from '../../../test/build.ts';

const drifted = machine('n1', { drifted: longAgo });
const annotated = (annotations: Record<string, string>, parts: Parameters<typeof pod>[2] = {}) =>
  pod('p1', 'n1', { ...parts, annotations });
const codes = (...pods: Objects): string =>
  codesOf(decide([pool(), drifted, pods]), 'n1', 'Drifted').join(' ') || 'goes';
const dnd = 'karpenter.sh/do-not-disrupt';
const owner = { kind: 'Pod', namespace: 'shop', name: 'p1' };

describe('E1: do-not-disrupt on a pod', () => {
  const started = '2026-03-10T10:00:00Z';
  it.each([
    { annotations: { [dnd]: 'true' }, says: 'PodOptedOut' },
    { annotations: { [dnd]: '2h1s' }, says: 'PodOptedOut' },
    { annotations: { [dnd]: '2h' }, says: 'goes' },
    { annotations: { [dnd]: 'false' }, says: 'goes' },
    { annotations: { [dnd]: '-1h' }, says: 'goes' },
    { annotations: { [dnd]: 'soon' }, says: 'goes' },
    { annotations: { 'karpenter.sh/do-not-evict': 'true' }, says: 'PodOptedOut' },
    { annotations: { 'karpenter.sh/do-not-evict': 'false' }, says: 'goes' },
  ])('$annotations: $says', ({ annotations, says }) => {
    expect(codes(annotated(annotations as unknown as Record<string, string>, { started }))).toBe(says);
  });

  it('without a start time a duration protects', () => {
    expect(codes(annotated({ [dnd]: '1s' }, { status: { startTime: undefined } }))).toBe('PodOptedOut');
  });

  it('names the pod, and when a duration ends', () => {
    const round = decide([pool(), drifted, annotated({ [dnd]: '3h' }, { started })]);
    expect(refusalOf(round, 'n1', 'Drifted', 'PodOptedOut')).toMatchObject({
      owner,
      liftsAt: at('2026-03-10T13:00:00Z'),
    });
    const forEver = decide([pool(), drifted, annotated({ [dnd]: 'true' })]);
    expect(refusalOf(forEver, 'n1', 'Drifted', 'PodOptedOut')).not.toHaveProperty('liftsAt');
  });
});

describe('E3: do-not-disrupt-reasons', () => {
  const both = machine('n1', { drifted: longAgo, annotations: { 'lull.dev/rebalance': '' } });
  it.each([
    { reasons: 'Drifted', refused: ['Drifted'] },
    { reasons: 'Underutilized,Rebalance', refused: ['Rebalance'] },
    { reasons: ' rebalance , drifted ', refused: ['Drifted', 'Rebalance'] },
    { reasons: 'Underutilized,Empty', refused: [] },
    { reasons: 'Whim', refused: ['Drifted', 'Rebalance'] },
  ])('$reasons protects from $refused', ({ reasons, refused }) => {
    const round = decide([
      pool('web', { budgets: [{ nodes: '0' }] }),
      both,
      annotated({ [dnd]: 'true', 'karpenter.sh/do-not-disrupt-reasons': reasons }),
    ]);
    const by = round.verdicts.filter(({ refusals }) => refusals.some(({ code }) => code === 'PodOptedOut'));
    expect(by.map(({ reason }) => reason)).toEqual(refused);
  });
});

describe("E4, E5: a pod's own schedule", () => {
  const allow = 'karpenter.sh/disruption-schedule';
  const block = 'karpenter.sh/disruption-block-schedule';
  it.each([
    { it: 'open', annotations: { [allow]: '0 12 * * *' }, says: 'goes' },
    { it: 'an hour by default', annotations: { [allow]: '1 11 * * *' }, says: 'goes' },
    { it: 'closed', annotations: { [allow]: '0 2 * * *' }, says: 'PodScheduleClosed' },
    { it: 'over: start in, end out', annotations: { [allow]: '0 11 * * *' }, says: 'PodScheduleClosed' },
    { it: 'with a duration', annotations: { [allow]: '0 9 * * *', [`${allow}-duration`]: '4h' }, says: 'goes' },
    { it: 'one of several open', annotations: { [allow]: '0 2 * * *; 30 11 * * *' }, says: 'goes' },
    {
      it: 'a duration each',
      annotations: { [allow]: '0 2 * * *;0 9 * * *', [`${allow}-duration`]: '1h;4h' },
      says: 'goes',
    },
    { it: 'in a zone', annotations: { [allow]: '0 13 * * *', [`${allow}-timezone`]: 'Europe/Berlin' }, says: 'goes' },
    { it: 'that never fires', annotations: { [allow]: '0 0 31 2 *' }, says: 'PodScheduleClosed' },
    { it: 'that is broken', annotations: { [allow]: 'weekends' }, says: 'goes' },
    {
      it: 'blocking',
      annotations: { [block]: '0 9 * * *', 'karpenter.sh/disruption-block-duration': '8h' },
      says: 'PodBlocked',
    },
    { it: 'blocking at other times', annotations: { [block]: '0 2 * * *' }, says: 'goes' },
    {
      it: 'both: open, but blocked',
      annotations: { [allow]: '0 12 * * *', [block]: '0 12 * * *' },
      says: 'PodBlocked',
    },
    {
      it: 'both: closed and blocked',
      annotations: { [allow]: '0 2 * * *', [block]: '0 12 * * *' },
      says: 'PodScheduleClosed PodBlocked',
    },
    { it: 'both permit', annotations: { [allow]: '0 12 * * *', [block]: '0 2 * * *' }, says: 'goes' },
  ])('$it: $says', ({ annotations, says }) => {
    expect(codes(annotated(annotations as unknown as Record<string, string>))).toBe(says);
  });

  it.each([
    { annotations: { [allow]: '30 13 * * *' }, code: 'PodScheduleClosed', liftsAt: '2026-03-10T13:30:00Z' },
    { annotations: { [block]: '30 11 * * *' }, code: 'PodBlocked', liftsAt: '2026-03-10T12:30:00Z' },
  ] as const)('$code names the pod and lifts at $liftsAt', ({ annotations, code, liftsAt }) => {
    const round = decide([pool(), drifted, annotated(annotations as unknown as Record<string, string>)]);
    expect(refusalOf(round, 'n1', 'Drifted', code)).toMatchObject({ owner, liftsAt: at(liftsAt) });
  });

  it('that never fires never lifts', () => {
    const round = decide([pool(), drifted, annotated({ [allow]: '0 0 31 2 *' })]);
    expect(refusalOf(round, 'n1', 'Drifted', 'PodScheduleClosed')).not.toHaveProperty('liftsAt');
  });
});

describe('E7: PodDisruptionSchedule', () => {
  const rule = (spec: Plain, name = 'nightly') =>
    podSchedule(name, { selector: { matchLabels: { app: 'web' } }, ...spec });
  const night = { schedule: '0 2 * * *' };
  const day = { schedule: '0 9 * * *', duration: '8h' };
  it.each([
    { it: 'Allow, closed', rules: [rule(night)], says: 'PodScheduleClosed' },
    { it: 'Allow, open', rules: [rule(day)], says: 'goes' },
    { it: 'an hour by default', rules: [rule({ schedule: '0 11 * * *' })], says: 'PodScheduleClosed' },
    { it: 'Block, open', rules: [rule({ ...day, mode: 'Block' })], says: 'PodBlocked' },
    { it: 'Block, closed', rules: [rule({ ...night, mode: 'Block' })], says: 'goes' },
    { it: 'in a zone', rules: [rule({ schedule: '0 21 * * *', timeZone: 'Asia/Tokyo' })], says: 'goes' },
    { it: 'of other pods', rules: [rule({ ...night, selector: { matchLabels: { app: 'x' } } })], says: 'goes' },
    { it: 'several: all must permit', rules: [rule(day), rule(night, 'other')], says: 'PodScheduleClosed' },
    {
      it: 'several that refuse are all named',
      rules: [rule({ ...day, mode: 'Block' }), rule(night, 'other')],
      says: 'PodBlocked PodScheduleClosed',
    },
    { it: 'invalid: it fails closed', rules: [rule({ schedule: 'weekends' })], says: 'PodScheduleClosed' },
  ])('$it: $says', ({ rules, says }) => {
    expect(codes(pod(), rules)).toBe(says);
  });

  it("a pod's own annotations override it", () => {
    expect(codes(annotated({ 'karpenter.sh/disruption-schedule': '0 12 * * *' }), rule(night))).toBe('goes');
    expect(codes(annotated({ 'karpenter.sh/disruption-schedule': '0 2 * * *' }), rule(day))).toBe('PodScheduleClosed');
  });

  it('unless they are broken', () => {
    expect(codes(annotated({ 'karpenter.sh/disruption-schedule': 'weekends' }), rule(night))).toBe('PodScheduleClosed');
  });

  it.each([
    { rules: rule(night), code: 'PodScheduleClosed', liftsAt: '2026-03-11T02:00:00Z' },
    { rules: rule({ ...day, mode: 'Block' }), code: 'PodBlocked', liftsAt: '2026-03-10T17:00:00Z' },
  ] as const)('$code names the schedule and lifts at $liftsAt', ({ rules, code, liftsAt }) => {
    const refusal = refusalOf(decide([pool(), drifted, pod(), rules]), 'n1', 'Drifted', code);
    expect(refusal).toMatchObject({ owner: { kind: 'PodDisruptionSchedule', name: 'nightly' }, liftsAt: at(liftsAt) });
    expect(refusal.message).toContain('shop/p1');
  });

  it('an invalid one reports that it cannot be read, and never lifts', () => {
    const refusal = refusalOf(
      decide([pool(), drifted, pod(), rule({ schedule: 'weekends' })]),
      'n1',
      'Drifted',
      'PodScheduleClosed',
    );
    expect(refusal.message).toContain('cannot be read');
    expect(refusal).not.toHaveProperty('liftsAt');
  });
});

describe('E8: schedule and PodDisruptionBudget', () => {
  const [closed, open] = ['0 2 * * *', '0 12 * * *'].map((cron) =>
    annotated({ 'karpenter.sh/disruption-schedule': cron }),
  );
  it.each([
    { it: 'both permit', objects: [open, pdb('web', 1)], says: 'goes' },
    { it: 'the schedule alone', objects: [open, pdb('web', 0)], says: 'PdbSpent' },
    { it: 'the PDB alone', objects: [closed, pdb('web', 1)], says: 'PodScheduleClosed' },
    { it: 'neither', objects: [closed, pdb('web', 0)], says: 'PodScheduleClosed PdbSpent' },
  ])('$it: $says', ({ objects, says }) => {
    expect(codes(...(objects as Objects))).toBe(says);
  });

  it('do-not-disrupt takes precedence: the PDBs of the pod are not checked', () => {
    expect(codes(annotated({ [dnd]: 'true' }), pdb('web', 0))).toBe('PodOptedOut');
    expect(codes(annotated({ [dnd]: 'true' }), pdb('web', 9), pdb('all', 9, { selector: {} }))).toBe('PodOptedOut');
  });

  it('Interrupted overrides all of them', () => {
    const node = machine('n1', { claim: { conditions: { Interrupted: longAgo } } });
    expect(
      startsOf(
        decide([
          pool(),
          node,
          annotated({ [dnd]: 'true', 'karpenter.sh/disruption-schedule': '0 2 * * *' }),
          pdb('web', 0),
        ]),
      ),
    ).toEqual(['n1 Interrupted']);
  });
});

describe('E11: whose rules refuse', () => {
  const rules = { [dnd]: 'true', 'karpenter.sh/disruption-schedule': '0 2 * * *' };
  it.each([
    { it: 'a DaemonSet pod', parts: { owner: 'DaemonSet/log' }, refuses: true },
    { it: 'a mirror pod', parts: { owner: 'Node/n1' }, refuses: true },
    { it: 'a finished pod', parts: { phase: 'Succeeded' }, refuses: false },
    { it: 'a failed pod', parts: { phase: 'Failed' }, refuses: false },
    { it: 'a terminating pod', parts: { deleted: longAgo }, refuses: false },
    { it: "a StatefulSet's terminating pod", parts: { deleted: longAgo, owner: 'StatefulSet/db' }, refuses: false },
  ])('$it: $refuses', ({ parts, refuses }) => {
    expect(codes(annotated(rules, parts))).toBe(refuses ? 'PodOptedOut PodScheduleClosed' : 'goes');
  });
});
