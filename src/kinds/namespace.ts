// What does a Namespace say? Only its labels matter: schedules select pods by them (E7).
import type { Namespace } from '../cluster/model.ts';
import { readMetadata } from './metadata.ts';
import type { Reader } from './reader.ts';

export function readNamespaceObject(object: Reader): Namespace {
  const { name, labels } = readMetadata(object);
  return { name, labels };
}
