// Which CSI driver has taken over an old in-tree volume? The scheduler counts such volumes as that driver's.

interface Migrated {
  /** In the spec of a PersistentVolume. */
  readonly field: string;
  readonly handle: string;
  /** As a StorageClass names it. */
  readonly provisioner: string;
  readonly driver: string;
}

export const migratedSources: readonly Migrated[] = [
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

export const driverOf = (provisioner: string): string => drivers.get(provisioner) ?? provisioner;
