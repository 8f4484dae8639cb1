// Instance types with sizes and prices (F5), read from settings and from Karpenter's metrics.
import { label } from '../cluster/names.ts';
import type { TextMap } from '../cluster/selector.ts';
import type { InstanceType, Offering } from '../cluster/settings.ts';
import { Findings, nowhere } from './read/findings.ts';
import { Reader, readAmounts, useQuantity } from './read/reader.ts';

const writeList =
  'Write a list of {name, cpu, memory, pods, offerings: [{zone, capacityType, price, available}]}, or the path of a file with such a list.';

export function readCatalogue(reader: Reader, key: string): readonly InstanceType[] | undefined {
  if (!Array.isArray(reader.raw(key))) return reader.has(key) ? reader.wrong(key, 'catalogue', writeList) : undefined;
  return reader.maps(key).map((type) => {
    const { name: _, offerings: __, labels, estimated, ...amounts } = type.fields();
    return {
      name: needText(type, 'name'),
      allocatable: readAmounts(amounts, (name) => type.wrong(name, 'quantity', useQuantity)),
      offerings: type.maps('offerings').map(readOffering),
      ...(labels !== undefined && { labels: type.textMap('labels') }),
      ...(estimated === true && { estimated }),
    };
  });
}

/** Reads what formatCatalogue wrote; undefined for anything else. */
export function readTypes(value: unknown): readonly InstanceType[] | undefined {
  const findings = new Findings(() => 'Catalogue', 'error', nowhere);
  const types = readCatalogue(new Reader({ types: value }, findings), 'types');
  return findings.faults.length === 0 ? types : undefined;
}

function readOffering(offering: Reader): Offering {
  const price = offering.raw('price');
  const isPrice = typeof price === 'number' && price >= 0 && price < Infinity;
  if (!isPrice) offering.wrong('price', 'price', 'Use a number of at least 0.');
  return {
    zone: needText(offering, 'zone'),
    capacityType: needText(offering, 'capacityType'),
    price: isPrice ? price : 0,
    available: offering.boolean('available') ?? true,
  };
}

function needText(reader: Reader, key: string): string {
  if (!reader.has(key)) reader.fault(key, `${key} is missing. Set it.`);
  return reader.text(key) ?? '';
}

/** As in a settings file: cpu in thousandths, other resources in whole units. */
export function formatCatalogue(catalogue: readonly InstanceType[]): unknown[] {
  return catalogue.map(({ name, allocatable, offerings, labels, estimated }) => ({
    name,
    ...(labels && { labels }),
    ...(estimated && { estimated }),
    ...Object.fromEntries(
      Object.entries(allocatable).map(([resource, amount]) => [
        resource,
        resource === 'cpu' ? `${amount}m` : String(amount),
      ]),
    ),
    offerings,
  }));
}

const prefix = 'karpenter_cloudprovider_instance_type_';
const line = new RegExp(
  `^${prefix}(cpu_cores|memory_bytes|offering_available|offering_price_estimate)\\{(.*)\\}\\s+(\\S+)`,
);
const pair = /([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

/** A cloud has about a thousand types in a few zones; more are ignored. */
const mostTypes = 3000;
const mostOfferings = 60_000;

interface TypeMetrics {
  cpu?: number;
  memory?: number;
  /** By zone and capacity type. */
  readonly prices: Map<string, { readonly zone: string; readonly capacityType: string; readonly price: number }>;
  readonly available: Map<string, boolean>;
}

/** Collects instance types from the lines of Karpenter's metrics. */
export class MetricsReader {
  readonly #types = new Map<string, TypeMetrics>();
  #offerings = 0;

  /** Reads one line; lines of other metrics are ignored. */
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
    return [...this.#types]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, type]): InstanceType[] => {
        const { cpu, memory, prices, available } = type;
        if (cpu === undefined || memory === undefined || prices.size === 0) return [];
        const offerings = [...prices]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([place, offering]): Offering => ({ ...offering, available: available.get(place) ?? true }));
        return [
          { name, allocatable: estimate(cpu, memory), offerings, labels: labelsOf(name, cpu, memory), estimated: true },
        ];
      });
  }

  #type(name: string): TypeMetrics | undefined {
    const known = this.#types.get(name);
    if (known || this.#types.size >= mostTypes) return known;
    const created: TypeMetrics = { prices: new Map(), available: new Map() };
    this.#types.set(name, created);
    return created;
  }

  #offering(type: TypeMetrics, { what, value, zone, capacityType }: OfferingLine): void {
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

/** Reads a whole text of metrics; undefined if it has no instance types. */
export function readMetrics(text: string): readonly InstanceType[] | undefined {
  if (!text.includes(prefix)) return undefined;
  const reader = new MetricsReader();
  for (const it of text.split('\n')) reader.read(it.trimEnd());
  const types = reader.types();
  return types.length > 0 ? types : undefined;
}

const mebi = 2 ** 20;

/**
 * Estimates the allocatable resources of an instance type of which no node has been seen. Subtracts what the hypervisor uses (7.5 % of
 * memory) and what the kubelet reserves on EKS (255 MiB, 11 MiB for each of 15 pods per core, 100 MiB eviction threshold; 70m of the first
 * two cores and 1 % of all), and assumes 7 pods per core. Deliberately rather too low than too high.
 */
export function estimate(cores: number, memory: number): InstanceType['allocatable'] {
  const reserved = 255 + 11 * Math.min(250, 15 * cores) + 100;
  return {
    cpu: Math.max(0, Math.floor(cores * 1000 - 70 - cores * 10)),
    memory: Math.max(0, Math.floor(memory * 0.925 - reserved * mebi)),
    pods: Math.min(110, Math.max(4, Math.floor(7 * cores))),
  };
}

const aws = 'karpenter.k8s.aws/instance-';
/** `m5.large`, `c6gn.2xlarge`, `u-6tb1.metal`: family and size; the family has category, generation and attributes. */
const awsName = /^(([a-z]+)(?:-[0-9]+tb)?([0-9]+)([a-z0-9-]*))\.([a-z0-9-]+)$/;

/** Labels that pools require but metrics lack, derived from the name of the type. */
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
    // A g after the generation means Graviton.
    [label.arch]: rest.includes('g') || family === 'a1' ? 'arm64' : 'amd64',
  };
}
