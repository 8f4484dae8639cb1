// HealthGates: what each asks, of which nodes, and its last result (O1–O3).
import type { Duration, Instant } from '../time/instant.ts';
import type { Fault } from './fault.ts';
import type { Reason } from './reason.ts';
import type { Requirement, Selector, TextMap } from './selector.ts';

/** `HealthGate` (O). The reader widens a broken one, so that it holds what it may select. */
export interface HealthGate {
  readonly name: string;
  readonly reasons: ReadonlySet<Reason>;
  /** Absent = every node. */
  readonly selector?: readonly Requirement[];
  readonly note?: string;
  /** Absent only with a fault. */
  readonly check?: HealthCheck;
  readonly interval: Duration;
  /** How long the check must fail before the gate closes. */
  readonly failAfter: Duration;
  /** How long the check must succeed before a closed gate opens. */
  readonly recoverAfter: Duration;
  readonly onUnknown: 'Hold' | 'Ignore';
  /** The last result, as the leader wrote it. Absent = not checked yet. */
  readonly status?: GateStatus;
  readonly fault?: Fault;
}

/** A stable reference to a gate: a new status replaces `gate` and leaves the views that hold the reference untouched. */
export interface HealthGateRef {
  readonly name: string;
  readonly selector?: readonly Requirement[];
  readonly gate: HealthGate;
}

/** What a gate asks, and whom (O1). */
export type HealthCheck = PrometheusCheck | AlertsCheck | HttpCheck | ObjectCheck | ManualCheck;

interface UrlCheck {
  readonly url: string;
  /** A Secret in Lull's own namespace, with credentials. */
  readonly secret?: string;
}

/** An instant query: any returned series means unhealthy. */
export interface PrometheusCheck extends UrlCheck {
  readonly type: 'prometheus';
  readonly query: string;
}

/** Firing alerts of Prometheus or Alertmanager. Both maps are of label name to anchored regular expression. */
export interface AlertsCheck extends UrlCheck {
  readonly type: 'alerts';
  readonly match: TextMap;
  readonly except: TextMap;
}

export interface HttpCheck extends UrlCheck {
  readonly type: 'http';
  /** The status codes that mean healthy. */
  readonly status: readonly number[];
}

/** Objects of this cluster or another: every selected one must satisfy the condition or expression. */
export interface ObjectCheck {
  readonly type: 'object';
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly selector?: Selector;
  readonly condition?: { readonly type: string; readonly status: string };
  readonly cel?: string;
  /** A Secret in Lull's own namespace, with the kubeconfig of another cluster. */
  readonly kubeconfigSecret?: string;
}

/** A switch for people and pipelines. */
export interface ManualCheck {
  readonly type: 'manual';
  readonly healthy: boolean;
  readonly message?: string;
}

export type Health = 'Healthy' | 'Unhealthy' | 'Unknown';

export interface CheckResult {
  readonly health: Health;
  readonly message: string;
}

export interface GateStatus extends CheckResult {
  /** When `health` last changed. */
  readonly since: Instant;
  readonly checkedAt: Instant;
  /** Since when the gate has been closed, recovery included. Absent = it is open. */
  readonly closedSince?: Instant;
}
