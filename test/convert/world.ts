// A small cluster around a policy, with one node for each reason, and what Lull decides on it.

import { roundAsJson } from '../../src/cli/decide/roundJson.ts';
import { emptyLedger } from '../../src/cluster/ledger.ts';
import { defaultSettings, type Settings } from '../../src/cluster/settings.ts';
import { ClusterStore } from '../../src/cluster/store.ts';
import { decideRound } from '../../src/engine/round.ts';
import { readObject } from '../../src/kinds/readObject.ts';
import { readDocuments } from '../../src/kinds/text/documents.ts';
import { type Instant, parseInstant } from '../../src/time/instant.ts';

const labels = {
  'karpenter.sh/nodepool': 'default',
  'karpenter.sh/registered': 'true',
  'karpenter.sh/initialized': 'true',
  'topology.kubernetes.io/zone': 'a',
};
const allocatable = { cpu: '4', memory: '16Gi', pods: '110' };

interface Special {
  readonly ready?: string;
  readonly drifted?: boolean;
  readonly born?: string;
  readonly cpu?: string;
}

const isTrue = (type: string, status = 'True') => ({ type, status, lastTransitionTime: '2026-03-10T00:00:00Z' });

/** With a claim, so that it is managed whatever its pool's name is. */
function node(
  name: string,
  { ready = 'True', drifted = false, born = '2026-03-09T00:00:00Z', cpu }: Special,
): unknown[] {
  const conditions = [isTrue('Initialized'), ...(drifted ? [isTrue('Drifted')] : [])];
  const requests = { requests: { cpu } };
  return [
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, creationTimestamp: born, labels },
      status: { allocatable, conditions: [isTrue('Ready', ready)] },
    },
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name, creationTimestamp: born, labels: { 'karpenter.sh/nodepool': 'default' } },
      spec: { expireAfter: '240h' },
      status: { nodeName: name, conditions, lastPodEventTime: '2026-03-11T09:55:00Z' },
    },
    ...(cpu === undefined
      ? []
      : [
          {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { namespace: 'web', name: `on-${name}` },
            spec: { nodeName: name, containers: [{ name: 'app', resources: requests }] },
            status: { phase: 'Running' },
          },
        ]),
  ];
}

const cluster = [
  node('n-1', { drifted: true, cpu: '3' }),
  node('n-2', { drifted: true, cpu: '3' }),
  node('n-3', {}),
  node('n-4', {}),
  node('n-5', { cpu: '1' }),
  node('n-6', { born: '2026-02-01T00:00:00Z', cpu: '3' }),
  node('n-7', { ready: 'False', cpu: '3' }),
  node('n-8', { cpu: '3' }),
].flat();

const at = (text: string): Instant => parseInstant(text) as Instant;

/** By day, at night, and at the weekend. */
const moments = [at('2026-03-11T10:00:00Z'), at('2026-03-11T18:00:00Z'), at('2026-03-14T02:30:00Z')];

/** The decisions of a policy, without sentences: those name fields as they are written. */
export function decided(text: string, role: Settings['role']): string {
  const settings: Settings = { ...defaultSettings, role };
  const objects = [...readDocuments(text, 'policy.yaml').documents.map(({ object }) => object), ...cluster];
  const store = new ClusterStore();
  for (const object of objects) {
    const read = readObject(object);
    if (read.kind === 'ignored' || read.kind === 'DisruptionLedger') continue;
    store.put(read);
  }
  const rounds = moments.map((now) => {
    const { faults: _, ...round } = roundAsJson(
      decideRound({ cluster: store, ledger: emptyLedger }, now, settings),
      emptyLedger,
    );
    return round;
  });
  return JSON.stringify(rounds, (key, value: unknown) => (key === 'message' ? undefined : value), 1);
}
