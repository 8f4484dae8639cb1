import { describe, expect, it } from 'vitest';
import { apiKindOf } from './apiKind.ts';
import { readEvent } from './rawObject.ts';

const pod = (metadata: object = {}) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'p', namespace: 'shop', uid: 'u', resourceVersion: '7', ...metadata },
});
const read = (event: unknown, kind = 'Pod') => readEvent(JSON.stringify(event), apiKindOf(kind));

describe('a line of a watch', () => {
  it.each([
    { type: 'ADDED', isGone: false },
    { type: 'MODIFIED', isGone: false },
    { type: 'DELETED', isGone: true },
  ])('$type is a change', ({ type, isGone }) => {
    expect(read({ type, object: pod() })).toEqual({ type: 'change', object: pod(), isGone });
  });

  it.each([
    { name: 'without a name', object: pod({ name: '' }) },
    { name: 'without a uid', object: pod({ uid: undefined }) },
    { name: 'of no namespace, though its kind has them', object: pod({ namespace: undefined }) },
    { name: 'whose version is a number', object: pod({ resourceVersion: 7 }) },
    { name: 'whose version is none', object: pod({ resourceVersion: '0x7' }) },
    { name: 'without metadata', object: { kind: 'Pod' } },
    { name: 'that is a list', object: [] },
  ])('an object $name is garbage', ({ object }) => {
    expect(read({ type: 'ADDED', object }).type).toBe('garbage');
  });

  it('an object in a namespace, though its kind has none, is garbage', () => {
    const object = { ...pod(), kind: 'Node' };
    expect(read({ type: 'ADDED', object }, 'Node').type).toBe('garbage');
    expect(
      read({ type: 'ADDED', object: { ...object, metadata: { ...pod().metadata, namespace: '' } } }, 'Node').type,
    ).toBe('change');
  });

  it('a bookmark has the version, and whether a list is complete', () => {
    const metadata = { resourceVersion: '12' };
    expect(read({ type: 'BOOKMARK', object: { metadata } })).toEqual({
      type: 'bookmark',
      version: 12,
      endsList: false,
    });
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    expect(read({ type: 'BOOKMARK', object: { metadata: { ...metadata, annotations } } })).toMatchObject({
      endsList: true,
    });
  });

  it('an error has its code and words', () => {
    expect(read({ type: 'ERROR', object: { kind: 'Status', code: 410, message: 'too old' } })).toEqual({
      type: 'error',
      code: 410,
      message: 'too old',
    });
  });

  it('whatever it is, nothing is thrown, and the message is short', () => {
    for (const line of ['', '{', 'null', '7', '"x"', '[]', '{}', `{"type":"ADDED","object":"${'x'.repeat(9999)}"}`]) {
      const event = readEvent(line, apiKindOf('Pod'));
      expect(event.type).toBe('garbage');
      expect(JSON.stringify(event).length).toBeLessThan(300);
    }
  });
});
