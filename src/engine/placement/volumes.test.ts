// Where the volumes of a pod are available, and attach limits.
import { describe, expect, it } from 'vitest';
import { machine, type Objects, type Plain, pod, zone } from '../../../test/build.ts';
import { whereFits } from '../../../test/placement/boards.ts';

const driver = 'disk.csi.example.com';
const claim = (name: string, spec: Plain = {}, isBound = true): Plain => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    namespace: 'shop',
    name,
    ...(isBound && { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }),
  },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'late', ...(isBound && { volumeName: name }), ...spec },
});
const volume = (name: string, spec: Plain = {}, labels: Plain = {}): Plain => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, labels },
  spec: { csi: { driver, volumeHandle: `handle-${name}` }, ...spec },
});
const inZone = (name: string): Plain => ({
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: 'In', values: [name] }] }] },
  },
});
const storage = (more: Plain = {}): Plain => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'late' },
  provisioner: driver,
  volumeBindingMode: 'WaitForFirstConsumer',
  ...more,
});
const limit = (node: string, count: number): Plain => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: { name: node },
  spec: { drivers: [{ name: driver, nodeID: node, allocatable: { count } }] },
});
const mounting = (...names: string[]) => ({
  spec: { volumes: names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })) },
});
const waits = (...claims: string[]): Plain => pod('new', '', { phase: 'Pending', ...mounting(...claims) });
/** Something is known of volumes, so that what is not there is missing. */
const known = [volume('x'), claim('x')];
const nodes: Objects = [machine('n1', { zone: 'a' }), machine('n2', { zone: 'b' }), machine('n3')];
const allowing = (...names: string[]): Plain => ({
  allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values: names }] }],
});

describe('F6: where the volumes of a pod can be had', () => {
  it.each([
    { it: 'a volume without a place: anywhere', objects: [volume('v'), claim('v')], fits: ['n1', 'n2', 'n3'] },
    { it: 'bound by its node affinity', objects: [volume('v', inZone('b')), claim('v')], fits: ['n2'] },
    {
      it: 'bound by the label of its zone; a node without any zone takes it',
      objects: [volume('v', {}, { [zone]: 'b' }), claim('v')],
      fits: ['n2', 'n3'],
    },
    { it: 'of several zones', objects: [volume('v', {}, { [zone]: 'b__c' }), claim('v')], fits: ['n2', 'n3'] },
    {
      it: 'by an old label',
      objects: [volume('v', {}, { 'failure-domain.beta.kubernetes.io/zone': 'a' }), claim('v')],
      fits: ['n1', 'n3'],
    },
    { it: 'a claim that is missing: nowhere', objects: [], fits: [] },
    { it: 'a volume that is missing: nowhere', objects: [claim('v')], fits: [] },
    {
      it: 'a claim that is not bound at once: nowhere',
      objects: [claim('v', {}, false), storage({ volumeBindingMode: 'Immediate' })],
      fits: [],
    },
    {
      it: 'a claim that is bound late: anywhere',
      objects: [claim('v', {}, false), storage()],
      fits: ['n1', 'n2', 'n3'],
    },
    {
      it: 'a claim that is bound late: where its class allows it',
      objects: [claim('v', {}, false), storage(allowing('a'))],
      fits: ['n1'],
    },
    {
      it: 'a class without a provisioner: nowhere',
      objects: [claim('v', {}, false), storage({ provisioner: 'kubernetes.io/no-provisioner' })],
      fits: [],
    },
  ])('$it', ({ objects, fits }) => {
    expect(whereFits(waits('v'), [...nodes, ...known, ...objects])).toEqual(fits);
  });

  it('two must be had in the same place', () => {
    const objects = [volume('v', inZone('a')), claim('v'), volume('w', inZone('b')), claim('w')];
    expect(whereFits(waits('v', 'w'), [...nodes, ...objects])).toEqual([]);
  });

  it('a claim for one pod is for one pod, wherever it runs', () => {
    const once = [volume('v'), claim('v', { accessModes: ['ReadWriteOncePod'] })];
    expect(whereFits(waits('v'), [...nodes, ...once])).toEqual(['n1', 'n2', 'n3']);
    expect(whereFits(waits('v'), [...nodes, ...once, pod('a', 'n1', mounting('v'))])).toEqual([]);
  });
});

describe('F6: a volume that one pod mounts twice', () => {
  it('is attached once', () => {
    const objects = [...machine('n1'), limit('n1', 1), volume('v'), claim('v')];
    expect(whereFits(waits('v', 'v'), objects)).toEqual(['n1']);
  });
});

describe('F6: how many volumes a node can attach', () => {
  const one = [...machine('n1'), limit('n1', 1)];
  const v = [volume('v'), claim('v')];
  const w = [volume('w'), claim('w')];
  it.each([
    { it: 'as many as its limit says', objects: [...one, ...v], fits: true },
    { it: 'not more', objects: [...one, ...v, ...w, pod('a', 'n1', mounting('w'))], fits: false },
    {
      it: 'one that is there already is attached once',
      objects: [...one, ...v, pod('a', 'n1', mounting('v'))],
      fits: true,
    },
    {
      it: 'two claims of one volume are attached once',
      objects: [
        ...one,
        ...v,
        volume('w', { csi: { driver, volumeHandle: 'handle-v' } }),
        claim('w'),
        pod('a', 'n1', mounting('w')),
      ],
      fits: true,
    },
    { it: 'none, where the limit is 0', objects: [...machine('n1'), limit('n1', 0), ...v], fits: false },
    {
      it: 'any number, where there is no limit',
      objects: [...machine('n1'), ...v, ...w, pod('a', 'n1', mounting('w'))],
      fits: true,
    },
    {
      it: 'one that is bound late counts too',
      objects: [...machine('n1'), limit('n1', 0), ...known, storage(), claim('v', {}, false)],
      fits: false,
    },
  ])('$it', ({ objects, fits }) => {
    expect(whereFits(waits('v'), objects)).toEqual(fits ? ['n1'] : []);
  });
});
