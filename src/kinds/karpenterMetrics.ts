// Karpenter's metrics of instance types (F5): sizes, offerings and prices, read line by line from the Prometheus text format.
import { label } from '../cluster/names.ts';
import type { TextMap } from '../cluster/selector.ts';
import type { InstanceType, Offering } from '../cluster/settings.ts';

const prefix = 'karpenter_cloudprovider_instance_type_';
const line = new RegExp(
  `^${prefix}(cpu_cores|memory_bytes|offering_available|offering_price_estimate)\\{(.*)\\}\\s+(\\S+)`,
);
const pair = /([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

/** A cloud has about a thousand types in a few zones; what is more is not read. */
const mostTypes = 3000;
const mostOfferings = 60_000;

interface Found {
  cpu?: number;
  memory?: number;
  /** By zone and kind of capacity. */
  readonly prices: Map<string, { readonly zone: string; readonly capacityType: string; readonly price: number }>;
  readonly available: Map<string, boolean>;
}

export class MetricsReader {
  readonly #found = new Map<string, Found>();
  #offerings = 0;

  /** Any line of the text: most of them are about something else. */
  read(text: string): void {
    if (!text.startsWith(prefix)) return;
    const [, what = '', pairs = '', written = ''] = line.exec(text) ?? [];
    const labels = new Map([...pairs.matchAll(pair)].map(([, key = '', value = '']) => [key, withoutEscapes(value)]));
    const [name, value] = [labels.get('instance_type'), Number(written)];
    const type = name && Number.isFinite(value) && value >= 0 ? this.#type(name) : undefined;
    if (!type) return;
    if (what === 'cpu_cores') type.cpu = value;
    else if (what === 'memory_bytes') type.memory = value;
    else this.#offering(type, { what, value, zone: labels.get('zone'), capacityType: labels.get('capacity_type') });
  }

  /** Types with a size and a price, by name. */
  types(): readonly InstanceType[] {
    return [...this.#found]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, found]): InstanceType[] => {
        const { cpu, memory, prices, available } = found;
        if (cpu === undefined || memory === undefined || prices.size === 0) return [];
        const offerings = [...prices]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([place, offering]): Offering => ({ ...offering, available: available.get(place) ?? true }));
        return [
          { name, allocatable: estimate(cpu, memory), offerings, labels: labelsOf(name, cpu, memory), estimated: true },
        ];
      });
  }

  #type(name: string): Found | undefined {
    const known = this.#found.get(name);
    if (known || this.#found.size >= mostTypes) return known;
    const made: Found = { prices: new Map(), available: new Map() };
    this.#found.set(name, made);
    return made;
  }

  #offering(type: Found, { what, value, zone, capacityType }: OfferingLine): void {
    if (zone === undefined || capacityType === undefined || ++this.#offerings > mostOfferings) return;
    const place = `${zone} ${capacityType}`;
    if (what === 'offering_available') type.available.set(place, value > 0);
    else type.prices.set(place, { zone, capacityType, price: value });
  }
}

interface OfferingLine {
  readonly what: string;
  readonly value: number;
  readonly zone: string | undefined;
  readonly capacityType: string | undefined;
}

const withoutEscapes = (value: string): string =>
  value.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));

/** A text of metrics as a whole; undefined = it has no instance types. */
export function readMetrics(text: string): readonly InstanceType[] | undefined {
  if (!text.includes(prefix)) return undefined;
  const reader = new MetricsReader();
  for (const it of text.split('\n')) reader.read(it.trimEnd());
  const types = reader.types();
  return types.length > 0 ? types : undefined;
}

const mebi = 2 ** 20;

/**
 * What pods may use of a machine this large, where no node of its type has been seen: what the hypervisor takes of the memory (7.5 %), what
 * the kubelet keeps on EKS (255 MiB, 11 MiB for each of 15 pods a core, 100 MiB before it evicts; 70m of the first two cores and 1 % of
 * all), and 7 pods a core. A guess that is meant to be too small rather than too large.
 */
export function estimate(cores: number, memory: number): InstanceType['allocatable'] {
  const kept = 255 + 11 * Math.min(250, 15 * cores) + 100;
  return {
    cpu: Math.max(0, Math.floor(cores * 1000 - 70 - cores * 10)),
    memory: Math.max(0, Math.floor(memory * 0.925 - kept * mebi)),
    pods: Math.min(110, Math.max(4, Math.floor(7 * cores))),
  };
}

const aws = 'karpenter.k8s.aws/instance-';
/** `m5.large`, `c6gn.2xlarge`, `u-6tb1.metal`: family and size; of the family category, generation, and the rest. */
const awsName = /^(([a-z]+)(?:-[0-9]+tb)?([0-9]+)([a-z0-9-]*))\.([a-z0-9-]+)$/;

/** Labels that pools ask for and metrics do not say, as far as the name of a type tells them. */
function labelsOf(name: string, cores: number, memory: number): TextMap {
  const [, family, category = '', generation = '', rest = '', size = ''] = awsName.exec(name) ?? [];
  if (family === undefined) return {};
  return {
    [`${aws}family`]: family,
    [`${aws}category`]: category,
    [`${aws}generation`]: generation,
    [`${aws}size`]: size,
    [`${aws}cpu`]: String(cores),
    [`${aws}memory`]: String(Math.round(memory / mebi)),
    // A g behind the generation is for Graviton.
    [label.arch]: rest.includes('g') || family === 'a1' ? 'arm64' : 'amd64',
  };
}
