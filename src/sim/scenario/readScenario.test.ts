import { describe, expect, it } from 'vitest';
import { readDocuments } from '../../kinds/documents.ts';
import { hour, minute, parseInstant } from '../../time/instant.ts';
import { faults } from './happenings/fault.ts';
import { expectations } from './readExpectations.ts';
import { readScenario } from './readScenario.ts';
import { happenings } from './script.ts';

const pool = `
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
`;

const head = `apiVersion: lull.dev/v1alpha1
kind: Scenario
metadata: { name: test }
spec:
  from: 2026-11-16T08:00:00Z
  for: 6h
`;

const read = (spec: string, rest = pool) => readScenario(readDocuments(`${head}${spec}${rest}`, 'test.yaml').documents);
const problems = (spec: string, rest = pool): string[] =>
  read(spec, rest).faults.map(({ position, path, message }) => `${position?.line} ${path}: ${message}`);

describe('A scenario', () => {
  it('is read with what it does not say', () => {
    const { scenario, faults: wrong } = read('');
    expect(wrong).toEqual([]);
    expect(scenario).toMatchObject({
      name: 'test',
      story: '',
      from: parseInstant('2026-11-16T08:00:00Z'),
      for: 6 * hour,
      seed: 1,
      controllers: 1,
      settings: { role: 'drive', drift: 'computed' },
      nodes: [],
      script: [],
      expect: [],
    });
    expect(scenario?.objects).toHaveLength(1);
  });

  it('is read with all it may say', () => {
    const { scenario, faults: wrong } = read(`  story: Once upon a time.
  seed: 7
  settings: { windowMargin: 5m }
  zones: [x, z]
  instanceTypes: { big: { cpu: 16, memory: 64Gi, price: 1.2 } }
  nodes:
    - { pool: web, count: 3, zones: [x], instanceType: big, age: 48h, capacityType: spot }
  controllers: 2
  script:
    - { at: 1h, release: { pool: web, image: v2 } }
    - { at: 2026-11-16T08:30:00Z, fail: { node: web-1 } }
  expect:
    - finished: { pool: web, by: 5h }
`);
    expect(wrong).toEqual([]);
    expect(scenario).toMatchObject({
      seed: 7,
      zones: ['x', 'z'],
      controllers: 2,
      settings: { windowMargin: 5 * minute },
    });
    expect(scenario?.instanceTypes?.get('big')).toEqual({ cpu: '16', memory: '64Gi', price: 1.2 });
    expect(scenario?.nodes).toEqual([
      { pool: 'web', count: 3, zones: ['x'], instanceType: 'big', capacityType: 'spot', age: 48 * hour },
    ]);
    // In order of time, however they were written.
    expect(scenario?.script.map(({ at, name }) => ({ at, name }))).toEqual([
      { at: 30 * minute, name: 'fail' },
      { at: hour, name: 'release' },
    ]);
    expect(scenario?.expect.map(({ text }) => text)).toEqual(['Pool web is rolled by 2026-11-16T13:00:00Z.']);
  });

  it('repeats an entry every so often', () => {
    const { scenario } = read('  script: [{ at: 1h, every: 24h, times: 3, release: { pool: web, image: "v{n}" } }]\n');
    expect(scenario?.script.map(({ at }) => at / hour)).toEqual([1, 25, 49]);
  });
});

describe('K1: what is wrong in a scenario is told with its line and what would be right', () => {
  it.each<{ name: string; spec: string; rest?: string; says: string[] }>([
    {
      name: 'a key that is nearly right',
      spec: '  scirpt: []\n',
      says: ['7 spec.scirpt: scirpt is not known here. Did you mean script?'],
    },
    {
      name: 'a key of nothing we know',
      spec: '  nodes: [{ pool: web, colour: red }]\n',
      says: [
        '7 spec.nodes[0].colour: colour is not known here. Use pool, count, zones, instanceType, capacityType or age.',
      ],
    },
    {
      name: 'a pool that is not there',
      spec: '  nodes: [{ pool: wbe }]\n',
      says: ['7 spec.nodes[0].pool: There is no pool wbe in this scenario. Did you mean web?'],
    },
    {
      name: 'an instance type that is not there',
      spec: '  nodes: [{ pool: web, instanceType: xxl }]\n',
      says: ['7 spec.nodes[0].instanceType: There is no instanceType xxl in this scenario. There is s, m or l.'],
    },
    {
      name: 'an amount that is none',
      spec: '  instanceTypes: { m: { cpu: much } }\n',
      says: ['7 spec.instanceTypes.m.cpu: "much" is no quantity. Use a quantity such as 500m, 4 or 16Gi.'],
    },
    {
      name: 'a setting that is none',
      spec: '  settings: { rol: drive }\n',
      says: ['7 spec.settings.rol: rol is no setting. Did you mean role?'],
    },
    {
      name: 'an entry that says nothing',
      spec: '  script: [{ at: 1h }]\n',
      says: [
        '7 spec.script[0]: script[0] says nothing that is a happening. Use one of release, scale, load, interrupt, fail, apply, delete, annotate or fault.',
      ],
    },
    {
      name: 'an entry that says two things',
      spec: '  script: [{ at: 1h, release: { pool: web, image: v2 }, fail: { node: web-1 } }]\n',
      says: [
        '7 spec.script[0]: script[0] says release and fail at once. Use one of release, scale, load, interrupt, fail, apply, delete, annotate or fault.',
      ],
    },
    {
      name: 'a moment before the start',
      spec: '  script: [{ at: 2026-11-16T07:00:00Z, fail: { node: web-1 } }]\n',
      says: [
        '7 spec.script[0].at: "2026-11-16T07:00:00Z" is no moment of this scenario. Use a time since its start such as 90m, or a later instant in RFC 3339.',
      ],
    },
    {
      name: 'a repetition without a number',
      spec: '  script: [{ at: 1h, every: 1h, fail: { node: web-1 } }]\n',
      says: ['7 spec.script[0].every: Say how many times in times.'],
    },
    {
      name: 'a fault of no kind we know',
      spec: '  script: [{ at: 1h, fault: { weather: bad } }]\n',
      says: [
        '7 spec.script[0].fault: fault says nothing that is a fault. Use one of launches, boots, image, workload, api, answers, watch or crash.',
      ],
    },
    {
      name: 'an event of no kind we know',
      spec: '  expect: [{ event: { kind: NodeSad, count: 1 } }]\n',
      says: [expect.stringContaining('7 spec.expect[0].event.kind: "NodeSad" is no allowed value. Use NodeChosen,')],
    },
    {
      name: 'an object of a kind that is nearly right',
      spec: '',
      rest: '---\nkind: Deploymnet\nmetadata: { name: web }\n',
      says: ['8 kind: Deploymnet is no kind of the box. Did you mean Deployment?'],
    },
    {
      name: 'a node, which comes up by itself',
      spec: '',
      rest: '---\nkind: Node\nmetadata: { name: web-1 }\n',
      says: ['8 kind: A Node comes up by itself. Say how many nodes there are under spec.nodes of the Scenario.'],
    },
    {
      name: 'an object of another group',
      spec: '',
      rest: '---\napiVersion: apps/v1\nkind: PodDisruptionBudget\nmetadata: { name: web }\n',
      says: ['8 apiVersion: A PodDisruptionBudget is of another apiVersion. Use policy/v1.'],
    },
    {
      name: 'an object that no API server would admit',
      spec: '',
      rest: '---\napiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\nspec: { replicas: many, template: { spec: { containers: [{ resources: { requests: { cpu: lots } } }, 1] } } }\n',
      says: [
        '11 spec.replicas: "many" is no allowed number. Use a whole number from 0 to 200000, without quotes.',
        '11 spec.template.spec.containers[1]: 1 is no map. Give a map of fields.',
        '11 spec.template.spec.containers[0].resources.requests.cpu: "lots" is no quantity. Use a quantity such as 500m, 4 or 16Gi.',
      ],
    },
    {
      name: 'a percentage that is none',
      spec: '',
      rest: '---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: { name: web }\nspec: { maxUnavailable: few }\n',
      says: ['11 spec.maxUnavailable: "few" is no number of pods. Use a number, or a percentage such as 25%.'],
    },
    {
      name: 'two scenarios in one file',
      spec: '',
      rest: `---\n${head}`,
      says: ['2 kind: There is another one at line 8. Keep one.'],
    },
  ])('$name', ({ spec, rest, says }) => {
    expect(problems(spec, rest)).toEqual(says);
    expect(read(spec, rest).scenario).toBeUndefined();
  });

  it('no scenario at all', () => {
    const { faults: wrong } = readScenario(readDocuments(pool, 'test.yaml').documents);
    expect(wrong).toMatchObject([{ message: expect.stringContaining('There is no Scenario here.') }]);
  });
});

describe('Every word of the script and of expect', () => {
  const used = (key: string, example: string): string => `  ${key}: [${example}]\n`;

  it.each(happenings)('$name: its example is read', ({ example }) => {
    expect(problems(used('script', example))).toEqual([]);
  });

  it.each(faults)('fault $name: its example is read', ({ example }) => {
    expect(problems(used('script', `{ at: 1h, fault: ${example} }`))).toEqual([]);
  });

  it.each(expectations)('$name: its example is read', ({ example }) => {
    expect(problems(used('expect', example))).toEqual([]);
  });

  it.each([...happenings.map(({ name }) => ['script', name]), ...expectations.map(({ name }) => ['expect', name])])(
    '%s %s: says what is missing in it',
    (key, name) => {
      expect(problems(used(key as string, `{ ${key === 'script' ? 'at: 1h, ' : ''}${name}: {} }`))).not.toEqual([]);
    },
  );
});
