// Nodes and NodeClaims: labels, readiness, allocatable, opt-out annotations (E2, N2), and the conditions of a claim.

import { defined } from '../../cluster/defined.ts';
import type { Claim, Condition, Node, NodeRules } from '../../cluster/model.ts';
import { annotation } from '../../cluster/names.ts';
import type { TextMap } from '../../cluster/selector.ts';
import { steering } from './knownKeys.ts';
import {
  longestName,
  type Metadata,
  readCondition,
  readConditions,
  readDeletingSince,
  readMetadata,
} from './metadata.ts';
import { readTaints, readTemplate } from './nodePool.ts';
import { doNotDisruptOfUser, ignoredOptOut, readOptOut } from './podAnnotations.ts';
import type { Reader } from './reader.ts';

export function readNode(object: Reader): Node {
  const metadata = readMetadata(object);
  const spec = object.map('spec');
  const status = object.map('status');
  return defined<Node>({
    name: metadata.name,
    uid: metadata.uid,
    createdAt: metadata.createdAt,
    deletingSince: readDeletingSince(metadata.reader),
    labels: metadata.labels,
    annotations: metadata.annotations,
    taints: readTaints(spec, 'taints'),
    unschedulable: spec.boolean('unschedulable') ?? false,
    providerId: spec.text('providerID') || undefined,
    ready: readReady(status),
    allocatable: status.resources('allocatable'),
    rules: readRules(metadata),
  });
}

/** Unknown for a node without a Ready condition. */
function readReady(status: Reader): Condition {
  const ready = status.maps('conditions').find((condition) => condition.text('type') === 'Ready');
  return ready ? readCondition(ready) : { status: 'Unknown' };
}

function readRules({ reader, annotations, createdAt }: Metadata): NodeRules {
  const at = reader.at('annotations');
  const parked = annotations[steering.parked] !== undefined;
  const protection = doNotDisruptOfUser(annotations);
  const start = reader.has('creationTimestamp') ? createdAt : undefined;
  return defined<NodeRules>({
    doNotDisrupt: protection === undefined ? undefined : readOptOut(at, protection, start),
    doNotRepair: isTrue(at, annotations, steering.doNotRepair),
    doNotConsolidate: isTrue(at, annotations, steering.doNotConsolidate),
    hold: annotations[steering.hold],
    rebalance: annotations[steering.rebalance] !== undefined || undefined,
    rollRequested: at.signed(steering.rollRequested),
    approved: at.signed(steering.approved),
    parked: parked || undefined,
  });
}

function isTrue(at: Reader, annotations: TextMap, key: string): true | undefined {
  const value = annotations[key];
  if (value === 'true') return true;
  if (value !== undefined && value !== 'false') at.fault(key, ignoredOptOut(value, 'Use "true".'));
  return undefined;
}

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
