// PersistentVolumes, their claims and StorageClasses, and CSINode limits on attached volumes.

import { defined } from '../../cluster/defined.ts';
import type { Requirement, TextMap } from '../../cluster/selector.ts';
import type { AttachLimits, StorageClass, Volume, VolumeClaim } from '../../cluster/volumes.ts';
import { longestName, readMetadata, readNamespace } from './metadata.ts';
import { maxInt32, type Reader } from './reader.ts';
import { readNodeTerms } from './selectors.ts';

const topologyLabels = [
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
  // With an invalid node affinity the location is unknown: no node matches.
  const isUnknown = object.findings.wrongs > before && terms === undefined;
  return defined<Volume>({
    name,
    nodeTerms: isUnknown ? [] : terms,
    labels: topologyLabelsIn(labels),
    ...readDriver(spec),
  });
}

const topologyLabelsIn = (labels: TextMap): TextMap =>
  Object.fromEntries(topologyLabels.flatMap((key) => (labels[key] ? [[key, labels[key]]] : [])));

function readDriver(spec: Reader): { readonly driver: string | undefined; readonly handle: string | undefined } {
  if (spec.has('csi')) {
    const csi = spec.map('csi');
    return { driver: csi.text('driver') || undefined, handle: csi.text('volumeHandle') || undefined };
  }
  const source = migratedSources.find(({ field }) => spec.has(field));
  if (!source) return { driver: undefined, handle: undefined };
  return { driver: source.driver, handle: spec.map(source.field).text(source.handle) || undefined };
}

/** Older than spec.storageClassName, and still takes precedence over it. */
const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

export function readVolumeClaim(object: Reader): VolumeClaim {
  const { reader, name, annotations } = readMetadata(object);
  const spec = object.map('spec');
  const owners = reader.maps('ownerReferences');
  const storageClass = spec.shortText('storageClassName', longestName);
  // Read for its faults. A claim with any deletionTimestamp, even an invalid one, is being deleted.
  reader.instant('deletionTimestamp');
  return defined<VolumeClaim>({
    namespace: readNamespace(reader),
    name,
    volume: spec.shortText('volumeName', longestName) || undefined,
    storageClass: annotations[classAnnotation] || storageClass || undefined,
    isForOnePod: spec.texts('accessModes').includes('ReadWriteOncePod'),
    isEphemeral: owners.some((owner) => owner.text('kind') === 'Pod' && owner.boolean('controller')) || undefined,
    isDeleting: reader.has('deletionTimestamp'),
  });
}

const modes = ['Immediate', 'WaitForFirstConsumer'] as const;

export function readStorageClass(object: Reader): StorageClass {
  const { name } = readMetadata(object);
  const terms = object.maps('allowedTopologies');
  return defined<StorageClass>({
    name,
    provisioner: driverOf(object.text('provisioner') ?? ''),
    isLate: object.oneOf('volumeBindingMode', modes) === 'WaitForFirstConsumer',
    // An empty list restricts nothing; an invalid one allows no topology.
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

export function readAttachLimits(object: Reader): AttachLimits {
  const { name } = readMetadata(object);
  const limits: [string, number][] = [];
  for (const driver of object.map('spec').maps('drivers')) {
    const allocatable = driver.map('allocatable');
    const count = allocatable.whole('count', 0, maxInt32);
    const driverName = driver.text('name');
    // With an invalid number, nothing more can be attached.
    if (driverName && allocatable.has('count')) limits.push([driverName, count ?? 0]);
  }
  return { name, drivers: Object.fromEntries(limits) };
}

interface MigratedSource {
  /** The field in spec of a PersistentVolume. */
  readonly field: string;
  readonly handle: string;
  /** The provisioner in a StorageClass. */
  readonly provisioner: string;
  readonly driver: string;
}

export const migratedSources: readonly MigratedSource[] = [
  {
    field: 'awsElasticBlockStore',
    handle: 'volumeID',
    provisioner: 'kubernetes.io/aws-ebs',
    driver: 'ebs.csi.aws.com',
  },
  {
    field: 'gcePersistentDisk',
    handle: 'pdName',
    provisioner: 'kubernetes.io/gce-pd',
    driver: 'pd.csi.storage.gke.io',
  },
  { field: 'azureDisk', handle: 'diskURI', provisioner: 'kubernetes.io/azure-disk', driver: 'disk.csi.azure.com' },
  { field: 'azureFile', handle: 'shareName', provisioner: 'kubernetes.io/azure-file', driver: 'file.csi.azure.com' },
  { field: 'cinder', handle: 'volumeID', provisioner: 'kubernetes.io/cinder', driver: 'cinder.csi.openstack.org' },
  {
    field: 'vsphereVolume',
    handle: 'volumePath',
    provisioner: 'kubernetes.io/vsphere-volume',
    driver: 'csi.vsphere.vmware.com',
  },
  {
    field: 'portworxVolume',
    handle: 'volumeID',
    provisioner: 'kubernetes.io/portworx-volume',
    driver: 'pxd.portworx.com',
  },
];

const drivers = new Map(migratedSources.map(({ provisioner, driver }) => [provisioner, driver]));

const driverOf = (provisioner: string): string => drivers.get(provisioner) ?? provisioner;
