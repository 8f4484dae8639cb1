import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Asked } from '../../test/kube/badServer.ts';
import { bookmark, failure, listEnd, type Reflecting, reflect } from '../../test/kube/reflecting.ts';
import { until } from '../../test/kube/turns.ts';
import { asInstant } from '../time/instant.ts';
import { Setbacks } from './setbacks.ts';

const refused = 'connect ECONNREFUSED 127.0.0.1:6443';

function having(...faults: readonly (readonly [fault: string, isUnreached: boolean])[]): Setbacks {
  const setbacks = new Setbacks();
  for (const [index, [fault, isUnreached]] of faults.entries())
    setbacks.add({ fault, isUnreached, at: asInstant(index) });
  return setbacks;
}

const times = <It>(count: number, it: It): It[] => Array.from({ length: count }, () => it);

describe('K2: a server that is not there', () => {
  it('does not cast doubt on the request, for a long time', () => {
    expect(having(...times(19, [refused, true] as const))).toMatchObject({
      doubtsVersion: false,
      doubtsStreams: false,
    });
    expect(having(...times(20, [refused, true] as const))).toMatchObject({ doubtsVersion: true, doubtsStreams: false });
  });

  it('does, if the server answers and breaks off', () => {
    expect(having(...times(3, ['socket hang up', true] as const))).toMatchObject({ doubtsStreams: true });
    expect(having(...times(5, ['socket hang up', true] as const))).toMatchObject({ doubtsVersion: true });
  });

  it('is retried soon once it is back, even if it still refuses', () => {
    const long = having(...times(10, [refused, true] as const));
    expect(long.wait(0.5)).toBe(30_000);
    long.add({ fault: '503: not yet', isUnreached: false, at: asInstant(99) });
    expect(long.wait(0.5)).toBe(500);
    expect(long.since).toBe(0);
    expect(long.fault).toBe('503: not yet');
  });

  it('is over with the first thing that comes through', () => {
    const long = having([refused, true], [refused, true]);
    long.over();
    expect(long).toMatchObject({ since: undefined, fault: undefined });
    long.add({ fault: refused, isUnreached: true, at: asInstant(7) });
    expect(long.wait(0.5)).toBe(500);
  });

  it('that has forgotten what came before is believed at once, and after that no more', () => {
    const setbacks = having([refused, true]);
    expect([setbacks.expiresAgain(), setbacks.expiresAgain()]).toEqual([false, true]);
    setbacks.over();
    expect(setbacks.expiresAgain()).toBe(false);
  });
});

describe('a reflector', () => {
  let at: Reflecting;
  beforeEach(async () => {
    at = await reflect();
  });
  afterEach(() => at.close());
  const isList = (asked: Asked): void => expect(asked.query.sendInitialEvents).toBe('true');

  it('K2: that is backing off retries at once when others have reached the server', async () => {
    (await at.synced(7, 'n1')).cut();
    await at.hasFailed(1);
    at.clock.step();
    (await at.server.next()).cut();
    await at.hasFailed(2);
    at.reflector.hurry();
    expect((await at.server.next()).query.resourceVersion).toBe('7');
  });

  it('that the server asked to wait still waits', async () => {
    (await at.synced(7, 'n1')).cut();
    await at.hasFailed(1);
    at.clock.step();
    (await at.server.next()).answer(429, failure(429), 'retry-after: 5\r\n');
    await at.hasFailed(2);
    const { nextAt } = at.clock;
    at.reflector.hurry();
    expect(at.clock.nextAt).toBe(nextAt);
  });

  it('K2: lists again right after an outage if the version has expired', async () => {
    (await at.synced(7, 'n1')).cut();
    await at.hasFailed(1);
    at.clock.step();
    const watch = await at.server.next();
    watch.open();
    watch.line({ type: 'ERROR', object: failure(410) });
    isList(await at.server.next());
    expect(at.faults).toHaveLength(1);
  });

  it('lists again on request, and keeps its objects until then', async () => {
    await at.synced(7, 'n1');
    at.reflector.relist();
    const list = await at.server.next();
    isList(list);
    expect(at.reflector.missing(at.clock.now)).toEqual({ cause: 'listed again', kind: 'Node' });
    expect(at.names()).toEqual(['n1']);
    list.open();
    list.line(listEnd(30));
    await until(() => at.reflector.missing(at.clock.now) === undefined);
    expect(at.names()).toEqual([]);
    expect(at.mirror.seenOf('Node')).toBe(30);
  });

  it('a server whose version went back, as after a restore, is listed again, twice', async () => {
    (await at.synced(70, 'n1')).line(bookmark(12));
    await at.hasFailed(1);
    expect(at.faults).toEqual(['Node: The server is at 12, and was at 70.']);
    at.clock.step();
    const list = await at.server.next();
    isList(list);
    list.open();
    list.line(listEnd(13));
    await at.hasFailed(2);
    expect(at.mirror.rewindsOf('Node')).toBe(1);
    at.clock.step();
    const again = await at.server.next();
    isList(again);
    again.open();
    again.line(listEnd(14));
    await until(() => at.reflector.missing(at.clock.now) === undefined);
    expect(at.mirror.seenOf('Node')).toBe(14);
  });
});
