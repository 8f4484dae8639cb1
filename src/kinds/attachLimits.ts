// How many volumes of each driver can a node attach? As its CSINode says.
import type { AttachLimits } from '../cluster/volumes.ts';
import { readMetadata } from './metadata.ts';
import type { Reader } from './reader.ts';

const maxInt32 = 2 ** 31 - 1;

export function readAttachLimits(object: Reader): AttachLimits {
  const { name } = readMetadata(object);
  const limits: [string, number][] = [];
  for (const driver of object.map('spec').maps('drivers')) {
    const allocatable = driver.map('allocatable');
    const count = allocatable.whole('count', 0, maxInt32);
    const driverName = driver.text('name');
    // A number that cannot be read attaches nothing more.
    if (driverName && allocatable.has('count')) limits.push([driverName, count ?? 0]);
  }
  return { name, drivers: Object.fromEntries(limits) };
}
