// What does a Node say? Its labels, readiness and room, and what its annotations ask for (E2, N2).
import type { Condition, Node, NodeRules } from '../cluster/model.ts';
import type { TextMap } from '../cluster/selector.ts';
import { steering } from './annotationName.ts';
import { type Metadata, readCondition, readDeletingSince, readMetadata } from './metadata.ts';
import { readOptOut, wordOfUsers } from './optOut.ts';
import { defined, type Reader } from './reader.ts';
import { readTaints } from './template.ts';

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

/** A node that does not say whether it is ready is not known to be. */
function readReady(status: Reader): Condition {
  const ready = status.maps('conditions').find((condition) => condition.text('type') === 'Ready');
  return ready ? readCondition(ready) : { status: 'Unknown' };
}

function readRules({ reader, annotations, createdAt }: Metadata): NodeRules {
  const at = reader.at('annotations');
  const parked = annotations[steering.parked] !== undefined;
  const protection = wordOfUsers(annotations);
  const start = reader.has('creationTimestamp') ? createdAt : undefined;
  return defined<NodeRules>({
    doNotDisrupt: protection === undefined ? undefined : readOptOut(at, protection, start),
    doNotRepair: isTrue(at, annotations, steering.doNotRepair),
    doNotConsolidate: isTrue(at, annotations, steering.doNotConsolidate),
    hold: annotations[steering.hold],
    rebalance: annotations[steering.rebalance] !== undefined || undefined,
    parked: parked || undefined,
  });
}

function isTrue(at: Reader, annotations: TextMap, key: string): true | undefined {
  const value = annotations[key];
  if (value === 'true') return true;
  if (value !== undefined && value !== 'false') at.wrong(key, 'protection, and is ignored', 'Use "true".');
  return undefined;
}
