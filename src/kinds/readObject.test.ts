import { describe, expect, it } from 'vitest';
import { readObject } from './readObject.ts';

describe('L1: kinds that Lull does not use', () => {
  it.each([
    { object: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } } },
    { object: { apiVersion: 'longhorn.io/v1beta2', kind: 'Node', metadata: { name: 'n' } } },
    { object: { apiVersion: 'hypershift.openshift.io/v1beta1', kind: 'NodePool', metadata: { name: 'n' } } },
    { object: { kind: 'toString' } },
    { object: {} },
    { object: null },
    { object: 'Pod' },
    { object: [] },
  ])('$object is ignored', ({ object }) => {
    expect(readObject(object)).toEqual({ kind: 'ignored' });
  });
});

describe('L2: faults', () => {
  it.each([
    { kind: 'Pod', metadata: { name: 'p', namespace: 'ns', uid: 5 }, object: 'Pod/ns/p' },
    { kind: 'Pod', metadata: { name: 'p', uid: 5 }, object: 'Pod/default/p' },
    { kind: 'Node', metadata: { name: 'n', uid: 5 }, object: 'Node/n' },
    { kind: 'Provisioner', metadata: { name: 'p', uid: 5 }, object: 'Provisioner/p' },
    { kind: 'Namespace', metadata: { uid: 5, name: 'x' }, object: 'Namespace/x' },
  ])('$object is named as users name it', ({ kind, metadata, object }) => {
    const position = { file: 'f.yaml', line: 3, column: 5 };
    const result = readObject({ kind, metadata }, (path) => (path === 'metadata.uid' ? position : undefined));
    expect(result).toMatchObject({ faults: [{ object, path: 'metadata.uid', value: 5, position }] });
    expect(result.kind !== 'ignored' && result.faults[0]?.message).toBe('5 is not a valid string: put it in quotes.');
  });

  it('carry no position where there is no file', () => {
    const result = readObject({ kind: 'Node', metadata: {} });
    expect(result.kind !== 'ignored' && Object.keys(result.faults[0] ?? {})).not.toContain('position');
  });
});
