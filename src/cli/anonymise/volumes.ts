// Rules for volumes: where they can be had and how many a node attaches, not what they are called.
import { migratedSources } from '../../kinds/csiDrivers.ts';
import { knownDrivers } from './allowed.ts';
import { requirements } from './labels.ts';
import { metadata, metadataInNamespace } from './metadata.ts';
import { nodeTerms } from './podSpec.ts';
import { digest, each, fields, name, nameUnless, oneOf, type Rule } from './rules.ts';
import { number } from './values.ts';

const driver: Rule = nameUnless('driver', knownDrivers);

/** In-tree volumes, by the field that says what they are. */
const oldSources = Object.fromEntries(
  migratedSources.map(({ field, handle }) => [field, fields({ [handle]: digest })] as const),
);

export const volumeRules: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  PersistentVolumeClaim: {
    metadata: metadataInNamespace('volumeclaim'),
    spec: fields({
      volumeName: name('volume'),
      storageClassName: name('storageclass'),
      accessModes: each(oneOf('ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod')),
    }),
  },
  PersistentVolume: {
    metadata: metadata('volume'),
    spec: fields({
      nodeAffinity: fields({ required: fields({ nodeSelectorTerms: nodeTerms }) }),
      csi: fields({ driver, volumeHandle: digest }),
      ...oldSources,
    }),
  },
  StorageClass: {
    metadata: metadata('storageclass'),
    provisioner: driver,
    volumeBindingMode: oneOf('Immediate', 'WaitForFirstConsumer'),
    allowedTopologies: fields({ matchLabelExpressions: requirements }),
  },
  CSINode: {
    metadata: metadata('node'),
    spec: fields({ drivers: fields({ name: driver, allocatable: fields({ count: number }) }) }),
  },
};
