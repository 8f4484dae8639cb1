// What may others know of volumes? Where they can be had and how many a node attaches, not what they are called.
import { migratedSources } from '../../kinds/csiDrivers.ts';
import { metadata } from './metadata.ts';
import { nodeTerms } from './podSpec.ts';
import { digest, fields, keep, name, type Rule, requirements } from './rules.ts';

const about = { apiVersion: keep, kind: keep };

const publicDrivers = new Set(migratedSources.map((source) => source.driver));

/** Those of the clouds are everybody's. */
const driver: Rule = (value, masks) => {
  if (typeof value !== 'string' || value.startsWith('kubernetes.io/') || publicDrivers.has(value)) return value;
  return masks.name('driver', value);
};

/** In-tree volumes, by the field that says what they are. */
const oldSources = Object.fromEntries(
  migratedSources.map(({ field, handle }) => [field, fields({ [handle]: digest })] as const),
);

export const volumeRules: Readonly<Record<string, Rule>> = {
  PersistentVolumeClaim: fields({
    ...about,
    metadata: metadata('volumeclaim'),
    spec: fields({ volumeName: name('volume'), storageClassName: name('storageclass'), accessModes: keep }),
  }),
  PersistentVolume: fields({
    ...about,
    metadata: metadata('volume'),
    spec: fields({
      nodeAffinity: fields({ required: fields({ nodeSelectorTerms: nodeTerms }) }),
      csi: fields({ driver, volumeHandle: digest }),
      ...oldSources,
    }),
  }),
  StorageClass: fields({
    ...about,
    metadata: metadata('storageclass'),
    provisioner: driver,
    volumeBindingMode: keep,
    allowedTopologies: fields({ matchLabelExpressions: requirements }),
  }),
  CSINode: fields({
    ...about,
    metadata: metadata('node'),
    spec: fields({ drivers: fields({ name: driver, allocatable: fields({ count: keep }) }) }),
  }),
};
