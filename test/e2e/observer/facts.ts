// The fields of an object that the observer records: what its checks or a reader need. None of it uses Lull's parsing.

/** The path at which each kind is watched, and what is recorded of it. */
export const watched: Readonly<Record<string, { readonly path: string; readonly facts: (object: Raw) => Facts }>> = {
  Node: { path: '/api/v1/nodes', facts: ofNode },
  NodeClaim: { path: '/apis/karpenter.sh/v1/nodeclaims', facts: ofClaim },
  Pod: { path: '/api/v1/pods', facts: ofPod },
  PodDisruptionBudget: { path: '/apis/policy/v1/poddisruptionbudgets', facts: ofPdb },
};

export type Facts = Readonly<Record<string, unknown>>;

export interface Raw {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sends
  readonly [field: string]: any;
}

function ofNode({ metadata, spec, status }: Raw): Facts {
  const { labels = {}, annotations = {} } = metadata;
  return {
    pool: labels['karpenter.sh/nodepool'],
    zone: labels['topology.kubernetes.io/zone'],
    ready: condition(status, 'Ready'),
    taints: (spec?.taints ?? []).map(({ key }: { key: string }) => key).sort(),
    doNotDisrupt: annotations['karpenter.sh/do-not-disrupt'],
    parked: annotations['lull.dev/parked'],
    cordoned: spec?.unschedulable === true || undefined,
    deleting: metadata.deletionTimestamp,
  };
}

function ofClaim({ metadata, status }: Raw): Facts {
  const { labels = {}, annotations = {} } = metadata;
  return {
    pool: labels['karpenter.sh/nodepool'],
    zone: labels['topology.kubernetes.io/zone'],
    node: status?.nodeName,
    created: metadata.creationTimestamp,
    deleting: metadata.deletionTimestamp,
    initialized: condition(status, 'Initialized'),
    drifted: condition(status, 'Drifted'),
    /** Karpenter's reason for disrupting it. */
    reason: status?.conditions?.find(({ type }: { type: string }) => type === 'DisruptionReason')?.reason,
    hash: annotations['karpenter.sh/nodepool-hash'],
  };
}

function ofPod({ metadata, spec, status }: Raw): Facts {
  const { labels = {}, annotations = {} } = metadata;
  return {
    node: spec?.nodeName,
    app: labels.app,
    labels,
    owner: metadata.ownerReferences?.[0]?.kind,
    phase: status?.phase,
    ready: condition(status, 'Ready'),
    doNotDisrupt: annotations['karpenter.sh/do-not-disrupt'],
    parked: annotations['lull.dev/parked'],
    deleting: metadata.deletionTimestamp,
  };
}

function ofPdb({ spec, status }: Raw): Facts {
  return {
    selector: spec?.selector?.matchLabels,
    healthy: status?.currentHealthy,
    desired: status?.desiredHealthy,
    allowed: status?.disruptionsAllowed,
    expected: status?.expectedPods,
  };
}

const condition = (status: Raw['status'], wanted: string): string | undefined =>
  status?.conditions?.find(({ type }: { type: string }) => type === wanted)?.status;
