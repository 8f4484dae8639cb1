// What does a PersistentVolumeClaim ask for, and which volume did it get?
import type { VolumeClaim } from '../cluster/volumes.ts';
import { longestName, readMetadata, readNamespace } from './metadata.ts';
import { defined, type Reader } from './reader.ts';

/** Older than the field, and it still stands before it. */
const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

export function readVolumeClaim(object: Reader): VolumeClaim {
  const { reader, name, annotations } = readMetadata(object);
  const spec = object.map('spec');
  const owners = reader.maps('ownerReferences');
  const storageClass = spec.shortText('storageClassName', longestName);
  // Whoever wrote something there wants it gone, even if nobody can say since when.
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
