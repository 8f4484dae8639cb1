// Reading scenarios: defaults, all fields, and the error messages.
import { describe, expect, it } from 'vitest';
import { readDocuments } from '../../kinds/text/documents.ts';
import { hour, minute, parseInstant } from '../../time/instant.ts';
import { faults } from './faults.ts';
import { expectations, readScenario, scriptActions } from './readScenario.ts';

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
  it('has defaults', () => {
    const { scenario, faults: found } = read('');
    expect(found).toEqual([]);
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

  it('is read with all its fields', () => {
    const { scenario, faults: found } = read(`  story: Once upon a time.
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
    expect(found).toEqual([]);
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
    // Sorted by time.
    expect(scenario?.script.map(({ at, name }) => ({ at, name }))).toEqual([
      { at: 30 * minute, name: 'fail' },
      { at: hour, name: 'release' },
    ]);
    expect(scenario?.expect.map(({ text }) => text)).toEqual(['Pool web is rolled by 2026-11-16T13:00:00Z.']);
  });

  it('repeats an entry with every and times', () => {
    const { scenario } = read('  script: [{ at: 1h, every: 24h, times: 3, release: { pool: web, image: "v{n}" } }]\n');
    expect(scenario?.script.map(({ at }) => at / hour)).toEqual([1, 25, 49]);
  });
});

describe('K1: errors name the line, the field and a remedy', () => {
  it.each<{ name: string; spec: string; rest?: string; says: string[] }>([
    {
      name: 'a misspelt field',
      spec: '  scirpt: []\n',
      says: ['7 spec.scirpt: Unknown field scirpt. Did you mean script?'],
    },
    {
      name: 'an unknown field',
      spec: '  nodes: [{ pool: web, colour: red }]\n',
      says: [
        '7 spec.nodes[0].colour: Unknown field colour. Use pool, count, zones, instanceType, capacityType or age.',
      ],
    },
    {
      name: 'a pool that does not exist',
      spec: '  nodes: [{ pool: wbe }]\n',
      says: ['7 spec.nodes[0].pool: There is no pool wbe in this scenario. Did you mean web?'],
    },
    {
      name: 'an instance type that does not exist',
      spec: '  nodes: [{ pool: web, instanceType: xxl }]\n',
      says: ['7 spec.nodes[0].instanceType: There is no instanceType xxl in this scenario. Use s, m or l.'],
    },
    {
      name: 'an invalid quantity',
      spec: '  instanceTypes: { m: { cpu: much } }\n',
      says: ['7 spec.instanceTypes.m.cpu: "much" is not a valid quantity: use a quantity such as 500m, 4 or 16Gi.'],
    },
    {
      name: 'an unknown setting',
      spec: '  settings: { rol: drive }\n',
      says: ['7 spec.settings.rol: Unknown setting rol. Did you mean role?'],
    },
    {
      name: 'an entry without an action',
      spec: '  script: [{ at: 1h }]\n',
      says: [
        '7 spec.script[0]: script[0] does not name an action. Use one of release, scale, load, interrupt, fail, apply, delete, annotate or fault.',
      ],
    },
    {
      name: 'an entry with two actions',
      spec: '  script: [{ at: 1h, release: { pool: web, image: v2 }, fail: { node: web-1 } }]\n',
      says: [
        '7 spec.script[0]: script[0] has both release and fail. Use one of release, scale, load, interrupt, fail, apply, delete, annotate or fault.',
      ],
    },
    {
      name: 'a time before the start',
      spec: '  script: [{ at: 2026-11-16T07:00:00Z, fail: { node: web-1 } }]\n',
      says: [
        '7 spec.script[0].at: "2026-11-16T07:00:00Z" is not a valid time in this scenario: use a time since the start such as 90m, or a later timestamp in RFC 3339.',
      ],
    },
    {
      name: 'a repetition without a number',
      spec: '  script: [{ at: 1h, every: 1h, fail: { node: web-1 } }]\n',
      says: ['7 spec.script[0].every: every needs times. Give the number of repetitions.'],
    },
    {
      name: 'an unknown fault',
      spec: '  script: [{ at: 1h, fault: { weather: bad } }]\n',
      says: [
        '7 spec.script[0].fault: fault does not name a fault. Use one of launches, boots, image, workload, api, answers, watch or crash.',
      ],
    },
    {
      name: 'an unknown event kind',
      spec: '  expect: [{ event: { kind: NodeSad, count: 1 } }]\n',
      says: [expect.stringContaining('7 spec.expect[0].event.kind: "NodeSad" is not a valid value: use NodeChosen,')],
    },
    {
      name: 'a misspelt object kind',
      spec: '',
      rest: '---\nkind: Deploymnet\nmetadata: { name: web }\n',
      says: ['8 kind: Unknown kind Deploymnet. Did you mean Deployment?'],
    },
    {
      name: 'a Node, which the simulation creates itself',
      spec: '',
      rest: '---\nkind: Node\nmetadata: { name: web-1 }\n',
      says: [
        '8 kind: The simulation creates every Node itself. Give the number of nodes under spec.nodes of the Scenario.',
      ],
    },
    {
      name: 'an object with the wrong API group',
      spec: '',
      rest: '---\napiVersion: apps/v1\nkind: PodDisruptionBudget\nmetadata: { name: web }\n',
      says: ['8 apiVersion: Wrong apiVersion for kind PodDisruptionBudget. Use policy/v1.'],
    },
    {
      name: 'an object that the API server would reject',
      spec: '',
      rest: '---\napiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\nspec: { replicas: many, template: { spec: { containers: [{ resources: { requests: { cpu: lots } } }, 1] } } }\n',
      says: [
        '11 spec.replicas: "many" is not a valid number: use a whole number from 0 to 200000, without quotes.',
        '11 spec.template.spec.containers[1]: 1 is not a valid map: write a map of fields.',
        '11 spec.template.spec.containers[0].resources.requests.cpu: "lots" is not a valid quantity: use a quantity such as 500m, 4 or 16Gi.',
      ],
    },
    {
      name: 'an invalid percentage',
      spec: '',
      rest: '---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: { name: web }\nspec: { maxUnavailable: few }\n',
      says: ['11 spec.maxUnavailable: "few" is not a valid number of pods: use a number, or a percentage such as 25%.'],
    },
    {
      name: 'two scenarios in one file',
      spec: '',
      rest: `---\n${head}`,
      says: ['2 kind: There is a second Scenario at line 8. Keep one.'],
    },
  ])('$name', ({ spec, rest, says }) => {
    expect(problems(spec, rest)).toEqual(says);
    expect(read(spec, rest).scenario).toBeUndefined();
  });

  it('a file without a scenario', () => {
    const { faults: found } = readScenario(readDocuments(pool, 'test.yaml').documents);
    expect(found).toMatchObject([{ message: expect.stringContaining('There is no Scenario here.') }]);
  });
});

describe('Every script action, fault and expectation', () => {
  const used = (key: string, example: string): string => `  ${key}: [${example}]\n`;

  it.each(scriptActions)('$name: accepts its example', ({ example }) => {
    expect(problems(used('script', example))).toEqual([]);
  });

  it.each(faults)('fault $name: accepts its example', ({ example }) => {
    expect(problems(used('script', `{ at: 1h, fault: ${example} }`))).toEqual([]);
  });

  it.each(expectations)('$name: accepts its example', ({ example }) => {
    expect(problems(used('expect', example))).toEqual([]);
  });

  it.each([...scriptActions.map(({ name }) => ['script', name]), ...expectations.map(({ name }) => ['expect', name])])(
    '%s %s: reports missing fields',
    (key, name) => {
      expect(problems(used(key as string, `{ ${key === 'script' ? 'at: 1h, ' : ''}${name}: {} }`))).not.toEqual([]);
    },
  );
});
