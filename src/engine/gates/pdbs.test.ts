import { describe, expect, it } from 'vitest';
import {
  codesOf,
  decide,
  longAgo,
  machine,
  type Objects,
  type Plain,
  pdb,
  pod,
  pool,
  refusalOf,
} from '../../../test/build.ts';

const drifted = machine('n1', { drifted: longAgo });
const codes = (...objects: Objects): string =>
  codesOf(decide([pool(), drifted, objects]), 'n1', 'Drifted').join(' ') || 'goes';
const web = { selector: { matchLabels: { app: 'web' } } };
const alwaysAllow = { ...web, unhealthyPodEvictionPolicy: 'AlwaysAllow' };
const bad = { selector: { matchExpressions: [{ key: 'app', operator: 'Like', values: ['web'] }] } };

describe('E10: a node needs disruptionsAllowed of each PDB of its pods', () => {
  const unready = pod('p1', 'n1', { ready: 'False' });
  it.each([
    { it: 'one allowed', objects: [pod(), pdb('web', 1)], says: 'goes' },
    { it: 'none allowed', objects: [pod(), pdb('web', 0)], says: 'PdbSpent' },
    { it: 'fewer than none', objects: [pod(), pdb('web', -1)], says: 'PdbSpent' },
    { it: 'no status yet', objects: [pod(), { ...pdb('web', 1), status: {} }], says: 'PdbSpent' },
    { it: 'three pods, one allowed', objects: [pod('a'), pod('b'), pod('c'), pdb('web', 1)], says: 'goes' },
    {
      it: 'each of two PDBs',
      objects: [
        pod('a'),
        pod('b', 'n1', { labels: { app: 'api' } }),
        pdb('web', 1),
        pdb('api', 0, { selector: { matchLabels: { app: 'api' } } }),
      ],
      says: 'PdbSpent',
    },
    {
      it: 'a PDB of other pods',
      objects: [pod(), pdb('x', 0, { selector: { matchLabels: { app: 'x' } } })],
      says: 'goes',
    },
    {
      it: 'a PDB of another namespace',
      objects: [pod('p1', 'n1', { namespace: 'other' }), pdb('web', 0)],
      says: 'goes',
    },
    { it: 'a PDB without a selector', objects: [pod(), pdb('web', 0, {})], says: 'goes' },
    { it: 'a PDB with an empty one', objects: [pod(), pdb('web', 0, { selector: {} })], says: 'PdbSpent' },
    { it: 'a DaemonSet pod', objects: [pod('p1', 'n1', { owner: 'DaemonSet/log' }), pdb('web', 0)], says: 'PdbSpent' },
    { it: 'a mirror pod', objects: [pod('p1', 'n1', { owner: 'Node/n1' }), pdb('web', 0)], says: 'goes' },
    { it: 'a terminating pod', objects: [pod('p1', 'n1', { deleted: longAgo }), pdb('web', 0)], says: 'goes' },
    {
      it: 'a pod that tolerates the disruption taint',
      objects: [pod('p1', 'n1', { spec: { tolerations: [{ operator: 'Exists' }] } }), pdb('web', 0)],
      says: 'goes',
    },
    { it: 'an unready pod', objects: [unready, pdb('web', 0)], says: 'PdbSpent' },
    { it: 'an unready pod under AlwaysAllow', objects: [unready, pdb('web', 0, alwaysAllow)], says: 'goes' },
    { it: 'a ready pod under AlwaysAllow', objects: [pod(), pdb('web', 0, alwaysAllow)], says: 'PdbSpent' },
    {
      it: 'a pod of which that is not known, under AlwaysAllow',
      objects: [pod('p1', 'n1', { ready: 'Unknown' }), pdb('web', 0, alwaysAllow)],
      says: 'PdbSpent',
    },
    { it: 'two PDBs on one pod, whatever they allow', objects: [pod(), pdb('a', 9), pdb('b', 9)], says: 'PdbOverlap' },
    {
      it: 'two PDBs on an unready pod',
      objects: [unready, pdb('a', 9, alwaysAllow), pdb('b', 9, alwaysAllow)],
      says: 'PdbOverlap',
    },
    {
      it: 'two PDBs on a mirror pod',
      objects: [pod('p1', 'n1', { owner: 'Node/n1' }), pdb('a', 9), pdb('b', 9)],
      says: 'goes',
    },
    {
      it: 'an unready pod under AlwaysAllow that cannot be read',
      objects: [unready, pdb('web', 0, { ...bad, unhealthyPodEvictionPolicy: 'AlwaysAllow' })],
      says: 'PdbSpent',
    },
    { it: 'a PDB that cannot be read', objects: [pod(), pdb('web', 0, bad)], says: 'PdbSpent' },
  ])('$it: $says', ({ objects, says }) => {
    expect(codes(...(objects as Objects))).toBe(says);
  });

  it('a PDB that cannot be read blocks whatever it says it allows', () => {
    expect(codes(pod(), pdb('web', 5, bad))).toBe('PdbSpent');
  });
});

describe('E10: whom it names', () => {
  const refusal = (spec: Plain, code: 'PdbSpent' | 'PdbOverlap', ...more: Objects) =>
    refusalOf(decide([pool(), drifted, pod('a'), pod('b'), pdb('web', 0, spec), more]), 'n1', 'Drifted', code);

  it('the PDB, once, with the number of its pods here', () => {
    const { owner, message } = refusal(web, 'PdbSpent');
    expect(owner).toEqual({ kind: 'PodDisruptionBudget', namespace: 'shop', name: 'web' });
    expect(message).toContain('shop/web');
    expect(message).toContain('it selects 2 pods on this node');
    expect(codes(pod('a'), pod('b'), pdb('web', 0))).toBe('PdbSpent');
  });

  it('what is wrong with one that cannot be read', () => {
    expect(refusal(bad, 'PdbSpent').message).toContain('its selector cannot be read');
  });

  it('the pod and both PDBs, where they overlap', () => {
    const { owner, message } = refusal(web, 'PdbOverlap', pdb('all', 1, { selector: {} }));
    expect(owner).toEqual({ kind: 'Pod', namespace: 'shop', name: 'a' });
    expect(message).toContain('all and web');
  });

  it('never an instant: no clock lifts it', () => {
    expect(refusal(web, 'PdbSpent')).not.toHaveProperty('liftsAt');
  });
});
