// Lull's workload: two replicas, one of which leads, and a job that releases everything when both are gone (N10).
import { createHash } from 'node:crypto';
import { annotation } from '../../../cluster/names.ts';
import { appName, type InstallSpec, labelsOf, type Manifest, releaseName } from './manifest.ts';

export const settingsMap = 'lull-settings';
export const settingsFile = 'settings.yaml';

export const tokenSecret = 'lull-token';
export const readTokenKey = 'read-token';

const folder = '/etc/lull';
const port = 7727;
const probePort = 7728;
/** Longer than any outage that an operator would sit out (N10). */
const staleAfter = '24h';

const selector = { 'app.kubernetes.io/name': appName, 'app.kubernetes.io/component': 'controller' };

export const settingsFor = (wanted: InstallSpec): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: settingsMap, namespace: wanted.namespace, labels: labelsOf(wanted) },
  data: { [settingsFile]: wanted.settings },
});

/** Keys of the Secret: a token to read and write, and one to read only. */
interface ServerTokens {
  readonly token: string;
  readonly [readTokenKey]: string;
}

/** Created once, at random, and never printed: it is not among the manifests. */
export const tokenFor = (wanted: Pick<InstallSpec, 'namespace' | 'version'>, tokens: ServerTokens): Manifest => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: tokenSecret, namespace: wanted.namespace, labels: labelsOf(wanted) },
  type: 'Opaque',
  stringData: { ...tokens },
});

export function workloadFor(wanted: InstallSpec): readonly Manifest[] {
  return wanted.image === undefined
    ? []
    : [deployment(wanted, wanted.image), disruptionBudget(wanted), releaseJob(wanted, wanted.image)];
}

function deployment(wanted: InstallSpec, image: string): Manifest {
  const { namespace, settings } = wanted;
  const run = ['run', '--namespace', namespace, '--settings', `${folder}/${settingsFile}`];
  const container = {
    name: appName,
    image,
    args: [...run, '--listen', `0.0.0.0:${port}`, '--probes', `0.0.0.0:${probePort}`, '--log', 'json'],
    // Clients need one of these. The second is missing if the Secret was created by an older Lull.
    env: [
      { name: 'LULL_TOKEN', valueFrom: { secretKeyRef: { name: tokenSecret, key: 'token' } } },
      {
        name: 'LULL_READ_TOKEN',
        valueFrom: { secretKeyRef: { name: tokenSecret, key: readTokenKey, optional: true } },
      },
      // The leader labels its own pod.
      { name: 'LULL_POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ],
    ports: [
      { name: 'http', containerPort: port },
      { name: 'probes', containerPort: probePort },
    ],
    // The other probes begin when it listens, however long that takes on a busy machine, at most a minute.
    startupProbe: { httpGet: { path: '/healthz', port: 'probes' }, periodSeconds: 2, failureThreshold: 30 },
    // A separate thread answers (K6), so that a slow round does not restart the pod.
    livenessProbe: { httpGet: { path: '/healthz', port: 'probes' }, periodSeconds: 20, failureThreshold: 3 },
    // Ready for its role: a standby is ready; a leader is ready once every governed node is parked. Liveness checks neither.
    readinessProbe: { httpGet: { path: '/readyz', port: 'probes' }, periodSeconds: 10 },
    resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '2Gi' } },
    securityContext: locked,
    volumeMounts: [{ name: 'settings', mountPath: folder, readOnly: true }],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: appName, namespace, labels: { ...labelsOf(wanted), ...selector } },
    spec: {
      replicas: 2,
      revisionHistoryLimit: 3,
      selector: { matchLabels: selector },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
      template: {
        // Settings are read once, at the start: changed settings must create new pods.
        metadata: {
          labels: { ...labelsOf(wanted), ...selector },
          annotations: { [annotation.settingsSum]: sum(settings) },
        },
        spec: {
          serviceAccountName: appName,
          automountServiceAccountToken: true,
          priorityClassName: 'system-cluster-critical',
          terminationGracePeriodSeconds: 30,
          securityContext: unprivileged,
          tolerations: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
          affinity,
          containers: [container],
          volumes: [{ name: 'settings', configMap: { name: settingsMap } }],
        },
      },
    },
  };
}

/**
 * Apart from each other, and on nodes outside of pools if possible. Preferred, not required: a rule that cannot be met would leave a
 * pod pending, and its PodDisruptionBudget would then hold the other pod's node for ever.
 */
const affinity = {
  nodeAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 50,
        preference: { matchExpressions: [{ key: 'karpenter.sh/nodepool', operator: 'DoesNotExist' }] },
      },
    ],
  },
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map(
      (topologyKey, index) => ({
        weight: index === 0 ? 100 : 50,
        podAffinityTerm: { topologyKey, labelSelector: { matchLabels: selector } },
      }),
    ),
  },
};

const unprivileged = { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } };
const locked = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };

/** One at a time: a leader that is evicted hands the lease to the other. */
const disruptionBudget = (wanted: InstallSpec): Manifest => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: appName, namespace: wanted.namespace, labels: labelsOf(wanted) },
  spec: {
    maxUnavailable: 1,
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
    selector: { matchLabels: selector },
  },
});

function releaseJob(wanted: InstallSpec, image: string): Manifest {
  const { namespace } = wanted;
  const container = {
    name: 'release',
    image,
    args: ['release', '--if-stale', staleAfter, '--yes'],
    resources: { requests: { cpu: '50m', memory: '256Mi' }, limits: { memory: '2Gi' } },
    securityContext: locked,
  };
  const pod = {
    serviceAccountName: releaseName,
    automountServiceAccountToken: true,
    restartPolicy: 'Never',
    securityContext: unprivileged,
    tolerations: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
    containers: [container],
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: releaseName, namespace, labels: labelsOf(wanted) },
    spec: {
      schedule: '17 * * * *',
      concurrencyPolicy: 'Forbid',
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 1,
      jobTemplate: {
        spec: {
          backoffLimit: 2,
          activeDeadlineSeconds: 1800,
          template: { metadata: { labels: labelsOf(wanted) }, spec: pod },
        },
      },
    },
  };
}

const sum = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
