// A restraint: what the API server must refuse Lull on one resource, as data, with its admission policy and binding (N12).
import type { Duty } from '../../../../kube/permissions.ts';
import { listOf } from '../cel.ts';
import { appName, type InstallSpec, labelsOf, type Manifest, releaseName, userOf } from '../manifest.ts';

export interface Restraint {
  readonly apiGroup: string;
  readonly resource: string;
  /** The last part of the policy's name. Absent = the resource. */
  readonly name?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** Message → the expression that must be true. */
  readonly rules: Readonly<Record<string, string>>;
  /** Only objects in Lull's own namespace: for other requests not even the match condition is evaluated. */
  readonly isLocal?: true;
  /** Absent = all three. */
  readonly operations?: readonly Operation[];
  /**
   * The policy is evaluated once for each of these objects, as `params`, and must hold for all of them. The API server collects them
   * before it evaluates the match condition: errors with them must refuse no request (failurePolicy Ignore), and they must be few,
   * since every request is compared with each of them.
   */
  readonly params?: Params;
}

type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

interface Params {
  readonly apiVersion: string;
  readonly kind: string;
  readonly selector: Readonly<Record<string, unknown>>;
}

const apiVersion = 'admissionregistration.k8s.io/v1';

/** The policy and its binding. */
export function manifestsOf(wanted: InstallSpec, duty: Duty, restraint: Restraint): readonly [Manifest, Manifest] {
  const { resource, name = resource, params } = restraint;
  const metadata = {
    name: ['lull-restraint', ...(duty === 'release' ? ['release'] : []), name].join('-'),
    labels: labelsOf(wanted),
  };
  const paramRef = params && { selector: params.selector, parameterNotFoundAction: 'Allow' };
  return [
    { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata, spec: specOf(wanted, duty, restraint) },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: metadata.name, ...(paramRef && { paramRef }), validationActions: ['Deny'] },
    },
  ];
}

function specOf({ namespace }: InstallSpec, duty: Duty, restraint: Restraint): Readonly<Record<string, unknown>> {
  const { apiGroup, resource, variables = {}, rules, isLocal, params } = restraint;
  const operations = restraint.operations ?? ['CREATE', 'UPDATE', 'DELETE'];
  const user = userOf(namespace, duty === 'release' ? releaseName : appName);
  return {
    // A request that cannot be evaluated is refused: without params, that affects only Lull.
    failurePolicy: params ? 'Ignore' : 'Fail',
    ...(params && { paramKind: { apiVersion: params.apiVersion, kind: params.kind } }),
    matchConstraints: {
      ...(isLocal && { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }),
      resourceRules: [
        { apiGroups: [apiGroup], apiVersions: ['*'], operations, resources: [resource, `${resource}/*`] },
      ],
    },
    matchConditions: [{ name: 'lull-itself', expression: `request.userInfo.username in ${listOf([user])}` }],
    variables: Object.entries(variables).map(([name, expression]) => ({ name, expression })),
    validations: Object.entries(rules).map(([message, expression]) => ({ expression, message, reason: 'Forbidden' })),
  };
}
