// From NodeClaim to initialized node, with faults.
import { describe, expect, it } from 'vitest';
import { claim, isReady, pool, type Stage, stage } from '../../../../test/sim/actorStage.ts';
import { readObject } from '../../../kinds/readObject.ts';
import { conditionOf } from '../rawObjects.ts';

const type = 'node.kubernetes.io/instance-type';
const zone = 'topology.kubernetes.io/zone';

/** When each of these was first so, in seconds since the start. */
function timeline(scene: Stage, until = 120): Record<string, number> {
  const seen: Record<string, number> = {};
  const note = (what: string, isSo: boolean): void => {
    if (isSo) seen[what] ??= scene.now();
  };
  scene.world.objects.onChange(({ object }) => {
    for (const type of ['Launched', 'Registered', 'Initialized'])
      note(type, object.kind === 'NodeClaim' && conditionOf(object, type)?.status === 'True');
    note('node', object.kind === 'Node');
    note('Ready', object.kind === 'Node' && isReady(object));
  });
  scene.pass(until);
  return seen;
}

describe('A claim', () => {
  it.each([1, 2, 3, 4, 5])('becomes a node step by step, each in its time (seed %i)', (seed) => {
    const scene = stage({ seed });
    scene.add(pool(), claim());
    const { Launched = 0, Registered = 0, node = 0, Ready = 0, Initialized = 0 } = timeline(scene);
    expect(Launched).toBeGreaterThanOrEqual(1);
    expect(Launched).toBeLessThanOrEqual(3);
    expect(Registered - Launched).toBeGreaterThanOrEqual(20);
    expect(Registered - Launched).toBeLessThanOrEqual(40);
    expect(node).toBe(Registered);
    expect(Ready - Registered).toBeGreaterThanOrEqual(5);
    expect(Ready - Registered).toBeLessThanOrEqual(10);
    expect(Initialized).toBeGreaterThan(Ready);
    expect(Initialized - Ready).toBeLessThanOrEqual(2);
  });

  it('gives its node what it was asked for, and what the cloud gave', () => {
    const scene = stage();
    const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule' }];
    const spec = { taints, requirements: [{ key: zone, operator: 'In' as const, values: ['b'] }] };
    const asked = claim('c', 'web', spec);
    scene.add(pool(), { ...asked, metadata: { ...asked.metadata, labels: { ...asked.metadata.labels, image: 'v1' } } });
    scene.rest();
    const [node] = scene.nodes();
    expect(node?.metadata.labels).toMatchObject({
      image: 'v1',
      'karpenter.sh/nodepool': 'web',
      'karpenter.sh/registered': 'true',
      'karpenter.sh/initialized': 'true',
      'karpenter.sh/capacity-type': 'on-demand',
      'kubernetes.io/hostname': 'web-1',
      'eks-node-viewer/instance-price': '0.1',
      [type]: 's',
      [zone]: 'b',
    });
    expect(node?.spec?.taints).toEqual(taints);
    expect(node?.status?.allocatable).toMatchObject({ cpu: '2', memory: '8Gi', pods: '110' });
    expect(scene.claims()[0]?.status).toMatchObject({ nodeName: 'web-1', providerID: node?.spec?.providerID });
  });

  it('leaves no empty list of taints: patches test for its absence', () => {
    const scene = stage();
    scene.add(pool(), claim());
    scene.rest();
    expect(scene.nodes()[0]?.spec).not.toHaveProperty('taints');
  });

  it('makes objects in which Lull finds no fault', () => {
    const scene = stage();
    scene.add(pool(), claim());
    scene.rest();
    for (const object of [...scene.nodes(), ...scene.claims()])
      expect(readObject(object)).toMatchObject({ faults: [] });
  });

  it('is initialized only once its startup taints are off', () => {
    const scene = stage();
    const startupTaints = [{ key: 'boot', effect: 'NoSchedule' }];
    scene.add(pool(), claim('c', 'web', { startupTaints }));
    let early = false;
    scene.world.objects.onChange(({ object }) => {
      const isInitialized = object.metadata.labels?.['karpenter.sh/initialized'] === 'true';
      early ||= object.kind === 'Node' && isInitialized && object.spec?.taints !== undefined;
    });
    scene.rest();
    expect(early).toBe(false);
    expect(scene.nodes()[0]?.metadata.labels).toHaveProperty('karpenter.sh/initialized');
  });
});

describe('The cloud', () => {
  it.each([
    { it: 'gives the cheapest type', requirements: [], requests: {}, given: 's' },
    { it: 'that fits the requests', requirements: [], requests: { cpu: '3' }, given: 'm' },
    { it: 'in every resource', requirements: [], requests: { cpu: '1', memory: '20Gi' }, given: 'l' },
    {
      it: 'and that is allowed',
      requirements: [{ key: type, operator: 'In' as const, values: ['l', 'm'] }],
      requests: {},
      given: 'm',
    },
    {
      it: 'or not forbidden',
      requirements: [{ key: type, operator: 'NotIn' as const, values: ['s', 'm'] }],
      requests: {},
      given: 'l',
    },
    { it: 'and none if none fits', requirements: [], requests: { cpu: '64' }, given: undefined },
    {
      it: 'nor if requirements exclude each other',
      requirements: ['s', 'm'].map((value) => ({ key: type, operator: 'In' as const, values: [value] })),
      requests: {},
      given: undefined,
    },
  ])('$it', ({ requirements, requests, given }) => {
    const scene = stage();
    scene.add(pool(), claim('c', 'web', { requirements, resources: { requests } }));
    scene.pass(5);
    const [made] = scene.claims();
    expect(made?.metadata.labels?.[type]).toBe(given);
    expect(made && conditionOf(made, 'Launched')?.status).toBe(given ? 'True' : 'False');
  });

  it('gives the cheapest whatever the order of its list', () => {
    const instanceTypes = new Map(
      Object.entries({ dear: 3, cheap: 1, fair: 2 }).map(([name, price]) => [name, { cpu: '4', memory: '8Gi', price }]),
    );
    const scene = stage({ instanceTypes });
    scene.add(pool(), claim());
    scene.pass(5);
    expect(scene.claims()[0]?.metadata.labels?.[type]).toBe('cheap');
  });

  it('labels a claim with a value of each list it may choose from', () => {
    const scene = stage();
    const requirements = [
      { key: 'tier', operator: 'In' as const, values: ['gold', 'silver'] },
      { key: 'karpenter.sh/capacity-type', operator: 'In' as const, values: ['on-demand', 'spot'] },
      { key: 'kubernetes.io/arch', operator: 'In' as const, values: ['arm64'] },
    ];
    scene.add(pool(), claim('c', 'web', { requirements }));
    scene.pass(5);
    expect(scene.claims()[0]?.metadata.labels).toMatchObject({
      tier: 'gold',
      'karpenter.sh/capacity-type': 'spot',
      'kubernetes.io/arch': 'arm64',
    });
  });

  it('spreads a pool over the zones it may use', () => {
    const scene = stage({ zones: ['a', 'b', 'c'] });
    scene.add(pool(), ...Array.from({ length: 7 }, (_, index) => claim(`c${index}`)));
    scene.pass(10);
    const zones = scene.claims().map(({ metadata }) => metadata.labels?.[zone]);
    expect(['a', 'b', 'c'].map((name) => zones.filter((it) => it === name).length)).toEqual([3, 2, 2]);
  });

  it('names no node twice', () => {
    const scene = stage();
    scene.add(pool(), claim('one'), claim('two'));
    scene.rest();
    scene.world.objects.delete('NodeClaim', 'two', 'script');
    scene.rest();
    scene.add(claim('three'));
    scene.rest();
    expect(scene.nodes().map(({ metadata }) => metadata.name)).toContain('web-3');
  });
});

describe('Faults', () => {
  it('launches that hang: the claim stays as it is, and is given up after five minutes', () => {
    const scene = stage();
    scene.world.faults.set('launches', 'web', 'never');
    scene.add(pool(), claim(), claim('other', 'db'));
    scene.pass(290);
    expect(scene.claims().map(({ status }) => status?.providerID !== undefined)).toEqual([false, true]);
    scene.pass(30);
    expect(scene.claims().map(({ metadata }) => metadata.name)).toEqual(['other']);
  });

  it('launches that hang continue once the fault is over', () => {
    const scene = stage();
    scene.world.faults.set('launches', 'web', 'never');
    scene.add(pool(), claim());
    scene.pass(200);
    scene.world.faults.clear('launches', 'web');
    scene.pass(4);
    expect(scene.claims()[0]?.status?.providerID).toBe('box://c');
  });

  it('launches that fail set the condition Launched to False', () => {
    const scene = stage();
    scene.world.faults.set('launches', '*', 'fails');
    scene.add(pool(), claim());
    scene.pass(5);
    const [made] = scene.claims();
    expect(made && conditionOf(made, 'Launched')).toMatchObject({ status: 'False', reason: 'LaunchFailed' });
  });

  it('slow boots take several times as long', () => {
    const fast = stage();
    const slow = stage();
    slow.world.faults.set('boots', 'web', 10);
    for (const scene of [fast, slow]) scene.add(pool(), claim());
    const [one = 0, two = 0] = [fast, slow].map((scene) => timeline(scene, 900).Registered);
    expect(two).toBeGreaterThan(200);
    expect((two - 3) / one).toBeGreaterThan(5);
  });

  it('a machine that does not join for a quarter of an hour is given up', () => {
    const scene = stage();
    scene.world.faults.set('boots', 'web', 1000);
    scene.add(pool(), claim());
    scene.pass(895);
    expect(scene.claims()).toHaveLength(1);
    scene.pass(30);
    expect(scene.claims()).toHaveLength(0);
  });

  it('nodes of a bad image never get ready, others do', () => {
    const scene = stage();
    scene.world.faults.set('images', 'v2', 'nodes');
    for (const image of ['v1', 'v2']) {
      const made = claim(image);
      scene.add({ ...made, metadata: { ...made.metadata, labels: { ...made.metadata.labels, image } } });
    }
    scene.pass(300);
    const ready = scene.nodes().map((node) => [node.metadata.labels?.image, isReady(node)]);
    expect(Object.fromEntries(ready)).toEqual({ v1: true, v2: false });
    expect(
      scene
        .nodes()
        .every(({ metadata }) => metadata.labels?.image === 'v1' || !metadata.labels?.['karpenter.sh/initialized']),
    ).toBe(true);
  });
});
