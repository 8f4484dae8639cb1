import { describe, expect, it } from 'vitest';
import { at, type Plain } from '../../test/build.ts';
import { readObject } from './readObject.ts';

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
  it('its words, the node and when it was last said', () => {
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
      it: 'where nothing says when it was last said, it was made then',
      fields: { lastTimestamp: null, firstTimestamp: null },
      when: '2026-03-10T11:00:00Z',
    },
    {
      it: 'newer events count in a series',
      fields: { lastTimestamp: null, series: { lastObservedTime: '2026-03-10T11:30:00.000000Z' } },
      when: '2026-03-10T11:30:00Z',
    },
  ])('$it', ({ fields, when }) => {
    expect(read(event(fields))?.record.at).toBe(at(when));
  });

  it.each(['Unconsolidatable', 'ConsolidationRejected'])('%s speaks of consolidation alone', (reason) => {
    expect(read(event({ reason }))?.record.about).toBe('consolidation');
  });

  it('what is put together from many says what they say', () => {
    const message = '(combined from similar events): Not all pods would schedule';
    expect(read(event({ message }))?.record.message).toBe('Not all pods would schedule');
  });

  it('no more is kept than can be told', () => {
    expect(read(event({ message: 'x'.repeat(5000) }))?.record.message).toHaveLength(300);
  });

  it.each([
    {
      it: 'that a parked node is kept',
      fields: { message: 'Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation' },
    },
    { it: 'other reasons', fields: { reason: 'Scheduled' } },
    { it: 'other objects', fields: { involvedObject: { kind: 'NodeClaim', name: 'n1' } } },
    { it: 'nothing at all', fields: { message: '' } },
    { it: 'at no time', fields: { metadata: { name: 'n1.17' }, lastTimestamp: 'soon', firstTimestamp: 7 } },
    { it: 'garbage', fields: { involvedObject: [] } },
  ])('$it is no news', ({ fields }) => {
    expect(read(event(fields))).toBeUndefined();
  });
});
