// Where can a PersistentVolume be had, and which driver attaches it?
import type { TextMap } from '../cluster/selector.ts';
import type { Volume } from '../cluster/volumes.ts';
import { migratedSources } from './csiDrivers.ts';
import { readMetadata } from './metadata.ts';
import { readNodeTerms } from './nodeSelector.ts';
import { defined, type Reader } from './reader.ts';

const places = [
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
];

export function readVolume(object: Reader): Volume {
  const { name, labels } = readMetadata(object);
  const spec = object.map('spec');
  const before = object.findings.wrongs;
  const terms = readNodeTerms(spec.map('nodeAffinity').map('required'));
  // Where nobody can say where it is, it is nowhere.
  const isLost = object.findings.wrongs > before && terms === undefined;
  return defined<Volume>({
    name,
    nodeTerms: isLost ? [] : terms,
    labels: placesIn(labels),
    ...readDriver(spec),
  });
}

const placesIn = (labels: TextMap): TextMap =>
  Object.fromEntries(places.flatMap((key) => (labels[key] ? [[key, labels[key]]] : [])));

function readDriver(spec: Reader): { readonly driver: string | undefined; readonly handle: string | undefined } {
  if (spec.has('csi')) {
    const csi = spec.map('csi');
    return { driver: csi.text('driver') || undefined, handle: csi.text('volumeHandle') || undefined };
  }
  const source = migratedSources.find(({ field }) => spec.has(field));
  if (!source) return { driver: undefined, handle: undefined };
  return { driver: source.driver, handle: spec.map(source.field).text(source.handle) || undefined };
}
