// Which instance types are there, and what do they cost (F5)? The `catalogue` setting, in the form of `instanceTypes` of the vectors.
import type { InstanceType, Offering } from '../cluster/settings.ts';
import { readAmounts } from './amounts.ts';
import { Findings, nowhere } from './findings.ts';
import { type Json, Reader, useQuantity } from './reader.ts';

const giveList =
  'Give a list of {name, cpu, memory, pods, offerings: [{zone, capacityType, price, available}]}, or the path of a file with one.';

export function readCatalogue(reader: Reader, key: string): readonly InstanceType[] | undefined {
  if (!Array.isArray(reader.raw(key))) return reader.has(key) ? reader.wrong(key, 'catalogue', giveList) : undefined;
  return reader.maps(key).map((type) => {
    const { name: _, offerings: __, labels, estimated, ...amounts } = type.values as Json;
    return {
      name: needText(type, 'name'),
      allocatable: readAmounts(amounts, (name) => type.wrong(name, 'quantity', useQuantity)),
      offerings: type.maps('offerings').map(readOffering),
      ...(labels !== undefined && { labels: type.textMap('labels') }),
      ...(estimated === true && { estimated }),
    };
  });
}

/** As formatCatalogue wrote them; undefined = that is something else. */
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
  if (!reader.has(key)) reader.fault(key, `There is no ${key}. Give one.`);
  return reader.text(key) ?? '';
}

/** cpu in thousandths, the rest in whole units, as a settings file may say them. */
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
