// What does a NodeClaim say? What a node was made with, and how far it has come. v1 and v1beta1 alike.
import type { Claim } from '../cluster/model.ts';
import { annotation } from '../cluster/names.ts';
import { longestName, readConditions, readDeletingSince, readMetadata } from './metadata.ts';
import { defined, type Reader } from './reader.ts';
import { readTemplate } from './template.ts';

export function readNodeClaim(object: Reader): Claim {
  const { reader, name, uid, createdAt, labels, annotations } = readMetadata(object);
  const spec = object.map('spec');
  const status = object.map('status');
  return defined<Claim>({
    name,
    uid,
    createdAt,
    deletingSince: readDeletingSince(reader),
    labels,
    annotations,
    nodeName: status.shortText('nodeName', longestName) || undefined,
    providerId: status.text('providerID') || undefined,
    conditions: readConditions(status),
    terminateAt: reader.at('annotations').instant(annotation.terminateAt),
    lastPodEventAt: status.instant('lastPodEventTime'),
    spec: readTemplate({ spec, labels, annotations, expireAfter: spec.durationOr('expireAfter', 'Never') }),
  });
}
