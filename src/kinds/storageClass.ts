// When, where and by whom does a StorageClass have volumes made?
import type { Requirement } from '../cluster/selector.ts';
import type { StorageClass } from '../cluster/volumes.ts';
import { driverOf } from './csiDrivers.ts';
import { readMetadata } from './metadata.ts';
import { defined, type Reader } from './reader.ts';

const modes = ['Immediate', 'WaitForFirstConsumer'] as const;

export function readStorageClass(object: Reader): StorageClass {
  const { name } = readMetadata(object);
  const terms = object.maps('allowedTopologies');
  return defined<StorageClass>({
    name,
    provisioner: driverOf(object.text('provisioner') ?? ''),
    isLate: object.oneOf('volumeBindingMode', modes) === 'WaitForFirstConsumer',
    // An empty list restricts nothing; one that cannot be read allows no place.
    topologies: terms.length > 0 || isBroken(object) ? terms.map(readTopology) : undefined,
  });
}

function isBroken(object: Reader): boolean {
  const list = object.raw('allowedTopologies');
  return list !== undefined && !(Array.isArray(list) && list.length === 0);
}

function readTopology(term: Reader): Requirement[] {
  return term
    .maps('matchLabelExpressions')
    .map((it) => ({ key: it.text('key') ?? '', operator: 'In', values: it.texts('values') }));
}
