import { describe, expect, it } from 'vitest';
import { at, type Plain } from '../../../test/build.ts';
import { readObject } from '../readObject.ts';

const event = (fields: Plain = {}): Plain => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { namespace: 'default', name: 'n1.17', creationTimestamp: '2026-03-10T11:00:00Z' },
  involvedObject: { kind: 'Node', name: 'n1' },
  reason: 'DisruptionBlocked',
  message: 'Pdb prevents pod evictions (PodDisruptionBudget=[shop/web])',
  source: { component: 'karpenter' },
  firstTimestamp: '2026-03-10T11:00:00Z',
  lastTimestamp: '2026-03-10T11:58:00Z',
  eventTime: null,
  ...fields,
});

const read = (object: unknown) => {
  const result = readObject(object);
  return result.kind === 'Event' ? result : undefined;
};

describe("N3: Karpenter's own events name the blocker", () => {
  it('with its message, its node and when it was last seen', () => {
    expect(read(event())).toEqual({
      kind: 'Event',
      faults: [],
      record: {
        namespace: 'default',
        name: 'n1.17',
        node: 'n1',
        about: 'everything',
        message: 'Pdb prevents pod evictions (PodDisruptionBudget=[shop/web])',
        at: at('2026-03-10T11:58:00Z'),
      },
    });
  });

  it.each([
    {
      it: 'an event without timestamps has its creation time',
      fields: { lastTimestamp: null, firstTimestamp: null },
      when: '2026-03-10T11:00:00Z',
    },
    {
      it: 'an event series has its lastObservedTime',
      fields: { lastTimestamp: null, series: { lastObservedTime: '2026-03-10T11:30:00.000000Z' } },
      when: '2026-03-10T11:30:00Z',
    },
  ])('$it', ({ fields, when }) => {
    expect(read(event(fields))?.record.at).toBe(at(when));
  });

  it.each(['Unconsolidatable', 'ConsolidationRejected'])('%s is about consolidation only', (reason) => {
    expect(read(event({ reason }))?.record.about).toBe('consolidation');
  });

  it.each([
    { reason: 'SpotInterrupted', about: 'interruption' },
    { reason: 'InstanceUnhealthy', about: 'interruption' },
    { reason: 'TerminatingOnInterruption', about: 'termination' },
  ])('$reason is an interruption and is named by its reason', ({ reason, about }) => {
    expect(read(event({ reason, message: 'It was triggered' }))?.record).toMatchObject({
      about,
      message: `${reason}: It was triggered`,
    });
  });

  it('the prefix of combined events is removed', () => {
    const message = '(combined from similar events): Not all pods would schedule';
    expect(read(event({ message }))?.record.message).toBe('Not all pods would schedule');
  });

  it('a message is cut to 300 characters', () => {
    expect(read(event({ message: 'x'.repeat(5000) }))?.record.message).toHaveLength(300);
  });

  it('a message is not cut before the zone it is about', () => {
    const message = `Not all pods would schedule, shop/p1 => requirements=${'x'.repeat(400)}, topology.kubernetes.io/zone In [us-east-1b], resources={}`;
    expect(read(event({ message }))?.record.message).toMatch(
      /^Not all.{290,} … topology\.kubernetes\.io\/zone In \[us-east-1b\]$/,
    );
  });

  it.each([
    {
      it: 'the do-not-disrupt annotation as the blocker',
      fields: { message: 'Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation' },
    },
    { it: 'another reason', fields: { reason: 'Scheduled' } },
    { it: 'another kind of object', fields: { involvedObject: { kind: 'NodeClaim', name: 'n1' } } },
    { it: 'an empty message', fields: { message: '' } },
    { it: 'no valid time', fields: { metadata: { name: 'n1.17' }, lastTimestamp: 'soon', firstTimestamp: 7 } },
    { it: 'garbage', fields: { involvedObject: [] } },
  ])('an event is ignored: $it', ({ fields }) => {
    expect(read(event(fields))).toBeUndefined();
  });
});
