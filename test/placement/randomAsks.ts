// Random node constraints of a pod: resources, labels, names, tolerations, ports.
import type {
  RawContainer,
  RawNodeTerm,
  RawPodSpec,
  RawRequirement,
  RawToleration,
} from '../../src/sim/actors/rawObjects.ts';
import { requestsOf } from '../../src/sim/actors/scheduler/needs.ts';
import type { Random } from '../../src/sim/random.ts';
import { zoneLabel, zones } from './names.ts';

const image = 'registry.example/app:1';

/** Only some of them: `often` is the probability of each. */
export function randomRoom(random: Random, often: number): RawPodSpec {
  const main = container('main', random, random.chance(0.07) ? {} : amounts(random));
  const isGreedy = random.chance(often * 0.5);
  const containers = [isGreedy ? withGpu(main, random) : main];
  if (random.chance(often)) containers.push(container('second', random, { cpu: '50m', memory: '64Mi' }));
  const initContainers = randomInit(random, often);
  const spec: RawPodSpec = {
    containers,
    ...(initContainers.length > 0 && { initContainers }),
    ...(random.chance(often * 0.5) && { overhead: { cpu: '120m', memory: '96Mi' } }),
  };
  return random.chance(often * 0.4) ? withPodLevel(spec, random) : spec;
}

const amounts = (random: Random): Record<string, string> => ({
  cpu: random.chance(0.2) ? '0.35' : `${50 * (1 + random.whole(24))}m`,
  memory: random.chance(0.1) ? '300M' : `${64 * (1 + random.whole(40))}Mi`,
  ...(random.chance(0.1) && { 'ephemeral-storage': `${1 + random.whole(12)}Gi` }),
});

const container = (
  name: string,
  _random: Random,
  requests: Record<string, string>,
): RawContainer & { image: string } => ({
  name,
  image,
  ...(Object.keys(requests).length > 0 && { resources: { requests } }),
});

/** Resources that cannot be overcommitted need a limit equal to the request. */
function withGpu(made: RawContainer, random: Random): RawContainer {
  const gpu = { 'example.com/gpu': String(1 + random.whole(2)) };
  return { ...made, resources: { requests: { ...made.resources?.requests, ...gpu }, limits: gpu } } as RawContainer;
}

function randomInit(random: Random, often: number): RawContainer[] {
  const made: RawContainer[] = [];
  if (random.chance(often * 0.6))
    made.push(container('prepare', random, { cpu: `${1 + random.whole(3)}`, memory: '128Mi' }));
  if (random.chance(often * 0.6))
    made.push({ ...container('beside', random, { cpu: '100m', memory: '128Mi' }), restartPolicy: 'Always' });
  if (random.chance(often * 0.3)) made.push(container('migrate', random, { cpu: '700m', memory: '2Gi' }));
  return made;
}

/** Never less than its containers request together: the API server would refuse it. */
function withPodLevel(spec: RawPodSpec, random: Random): RawPodSpec {
  const { overhead: _, ...rest } = spec;
  const { cpu = 0, memory = 0 } = requestsOf(rest);
  const more = random.whole(6) * 100;
  const requests = { cpu: `${cpu + more}m`, ...(random.chance(0.6) && { memory: String(memory + more * 2 ** 20) }) };
  return { ...spec, resources: { requests } };
}

export function randomTolerations(random: Random): RawToleration[] {
  const all: RawToleration[] = [
    { key: 'example.com/team', operator: 'Equal', value: random.pick(['a', 'b']), effect: 'NoSchedule' },
    { key: 'example.com/team', operator: 'Exists' },
    { key: 'example.com/old', operator: 'Exists', effect: 'NoExecute' },
    { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
    { operator: 'Exists' },
  ];
  const first = random.pick(all);
  return random.chance(0.3) ? [first, random.pick(all)] : [first];
}

export const randomSelector = (random: Random): Record<string, string> =>
  random.chance(0.6) ? { 'example.com/disk': random.pick(['ssd', 'hdd']) } : { [zoneLabel]: random.pick(zones) };

/** Terms are OR-ed, and within one all must hold. */
export function randomTerms(random: Random, nodes: readonly string[]): RawNodeTerm[] {
  const term = (): RawNodeTerm => {
    if (random.chance(0.04)) return {};
    const byName = random.chance(0.12);
    const values = [random.pick(nodes)];
    const matchFields = byName
      ? [{ key: 'metadata.name', operator: random.pick(['In', 'NotIn'] as const), values }]
      : [];
    const matchExpressions = Array.from({ length: byName ? 0 : 1 + random.whole(2) }, () => requirement(random));
    return byName ? { matchFields } : { matchExpressions };
  };
  return Array.from({ length: random.pick([1, 1, 2, 3]) }, term);
}

const requirements: readonly ((random: Random) => RawRequirement)[] = [
  (random) => ({ key: zoneLabel, operator: 'In', values: [random.pick(zones), random.pick(zones)] }),
  (random) => ({ key: zoneLabel, operator: 'NotIn', values: [random.pick(zones)] }),
  () => ({ key: 'example.com/disk', operator: 'Exists' }),
  () => ({ key: 'example.com/rack', operator: 'DoesNotExist' }),
  (random) => ({ key: 'example.com/generation', operator: 'Gt', values: [random.pick(['3', '4'])] }),
  (random) => ({ key: 'example.com/generation', operator: 'Lt', values: [random.pick(['5', '6'])] }),
];

const requirement = (random: Random): RawRequirement => random.pick(requirements)(random);

export function withPorts(spec: RawPodSpec, random: Random): RawPodSpec {
  const [first, ...others] = spec.containers ?? [];
  const hostPort = random.pick([8080, 9100]);
  const hostIP = random.pick([undefined, undefined, '0.0.0.0', '10.0.0.1', '10.0.0.2']);
  const protocol = random.pick(['TCP', 'TCP', 'TCP', 'UDP', 'SCTP']);
  const port = { containerPort: hostPort, hostPort, protocol, ...(hostIP !== undefined && { hostIP }) };
  return { ...spec, containers: [{ ...first, ports: [port] }, ...others] };
}
