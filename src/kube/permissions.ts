// Every request that Lull makes to the API server, as rows: the source of the RBAC roles of `lull install` and of the reference.
// Past 300 lines: one table, so that everything Lull may do is in one place.
import type { Settings } from '../cluster/settings.ts';
import { watchedKinds } from './apiKind.ts';
import { bornParkedName } from './bornParked.ts';

type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** The roles (N1), and the job that releases everything when Lull is gone (N10). */
export type Duty = Settings['role'] | 'release';

export interface Permission {
  /** Empty = the core group. */
  readonly apiGroup: string;
  /** With its subresource, such as `pods/eviction`. */
  readonly resource: string;
  readonly verbs: readonly Verb[];
  /** In which duties it is needed. */
  readonly duties: readonly Duty[];
  /** Only these objects, if the API server can check the name: for a create it cannot. */
  readonly names?: readonly string[];
  /** Only in Lull's own namespace. */
  readonly isLocal?: true;
  /** One sentence. */
  readonly why: string;
}

const always = ['observe', 'guide', 'drive'] as const;
const acting = ['guide', 'drive'] as const;
const everyone = [...always, 'release'] as const;
const follow = ['list', 'watch'] as const;

/** Why each watched kind is read. */
const readFor: Readonly<Record<string, string>> = {
  Namespace: 'A PodDisruptionSchedule, or the affinity of a pod, may select namespaces by their labels.',
  NodePool: 'Budgets, templates and the annotations of pools.',
  NodeClaim: 'Which claims are drifted, expired, launched or being deleted.',
  Node: 'Which nodes exist, their condition, labels, taints and annotations.',
  Pod: 'Which pods run on which node, and the rules of each pod.',
  PodDisruptionBudget: 'How many pods may be evicted now.',
  PodDisruptionSchedule: 'When pods may be moved.',
  MaintenanceWindow: 'When nodes may be disrupted.',
  HealthGate: 'Which checks hold nodes, and their last results.',
  DaemonSet: 'What would run on a new node before any other pod.',
  PersistentVolumeClaim: 'Which volumes a pod takes along.',
  PersistentVolume: 'In which zone a volume is available, and which driver attaches it.',
  StorageClass: 'Where a volume that is not bound yet can be created.',
  CSINode: 'How many volumes a node can attach.',
  CustomResourceDefinition: 'Whether the CRD of NodePools still keeps the fields that Lull adds (N9).',
  Event: 'Why Karpenter does not disrupt an offered node (N3).',
  DisruptionLedger: "Lull's memory: what it has begun.",
};

const byName = /^metadata\.name=/;

const followed: readonly Permission[] = watchedKinds.map(({ kind, apiVersion, plural, fieldSelector = '' }) => ({
  apiGroup: apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '',
  resource: plural,
  verbs: follow,
  duties: always,
  ...(byName.test(fieldSelector) && { names: [fieldSelector.replace(byName, '')] }),
  why: readFor[kind] ?? `Lull watches every ${kind}.`,
}));

const inGroup = (apiGroup: string, rows: readonly Omit<Permission, 'apiGroup'>[]): readonly Permission[] =>
  rows.map((row) => ({ apiGroup, ...row }));

const written: readonly Permission[] = [
  ...inGroup('', [
    {
      resource: 'nodes',
      verbs: ['patch'],
      duties: [...acting, 'release'],
      why: 'Parks and offers nodes (two annotations), and in drive taints the nodes it disrupts.',
    },
    { resource: 'nodes', verbs: ['delete'], duties: ['drive'], why: 'Deletes a drained node that has no claim.' },
    {
      resource: 'pods',
      verbs: ['patch'],
      duties: [...acting, 'release'],
      why: "Keeps Karpenter's drain from evicting a pod whose schedule is closed (two annotations); drive removes what guide left. Both move the label `lull.dev/leader` to the pod that leads.",
    },
    {
      resource: 'pods',
      verbs: ['delete'],
      duties: acting,
      why: 'Deletes the pods of a node that has a deadline one after another, with the seconds that remain as grace period.',
    },
    {
      resource: 'pods/eviction',
      verbs: ['create'],
      duties: ['drive'],
      why: 'Drains a node; the API server enforces PodDisruptionBudgets.',
    },
    { resource: 'pods', verbs: ['get'], duties: ['drive'], why: 'Reads the result of an eviction.' },
    {
      resource: 'pods',
      verbs: ['patch'],
      // The other roles may patch pods everywhere.
      duties: ['observe'],
      isLocal: true,
      why: 'Moves the label `lull.dev/leader` to the pod that leads, which the Service selects.',
    },
  ]),
  ...inGroup('karpenter.sh', [
    {
      resource: 'nodeclaims',
      verbs: ['patch'],
      duties: [...acting, 'release'],
      why: 'Makes a claim look drifted to Karpenter and restores it (guide), or writes its deadline (drive).',
    },
    {
      resource: 'nodeclaims',
      verbs: ['create', 'delete'],
      duties: ['drive'],
      why: 'Creates replacements, and deletes the claims of drained nodes.',
    },
    {
      resource: 'nodeclaims',
      verbs: ['delete'],
      duties: ['release'],
      why: 'Deletes unused replacements of Lull: one that cannot launch blocks all of Karpenter.',
    },
    {
      resource: 'nodepools',
      verbs: ['patch'],
      duties: [...acting, 'release'],
      why: "Copies budget fields that only the patched CRD keeps into one of Lull's annotations.",
    },
    {
      resource: 'nodepools/status',
      verbs: ['patch'],
      duties: everyone,
      why: "Reports in Lull's own conditions what each pool allows now.",
    },
    {
      resource: 'maintenancewindows/status',
      verbs: ['patch'],
      duties: everyone,
      why: 'Reports whether a window is open, and what it holds.',
    },
    {
      resource: 'poddisruptionschedules/status',
      verbs: ['patch'],
      duties: everyone,
      why: 'Reports whether a schedule is open, and what it holds.',
    },
    {
      resource: 'maintenancewindows',
      verbs: ['create'],
      duties: always,
      why: 'Pauses everything when a user asks a running Lull to (`lull pause --server`).',
    },
    {
      resource: 'maintenancewindows',
      verbs: ['patch', 'delete'],
      duties: always,
      names: ['lull-pause'],
      why: 'Changes and ends such a pause.',
    },
    {
      resource: 'maintenancewindows',
      verbs: ['delete'],
      duties: ['release'],
      names: ['lull-pause'],
      why: 'Ends a pause that would otherwise stay for ever.',
    },
  ]),
];

const remembered: readonly Permission[] = [
  ...inGroup('lull.dev', [
    {
      resource: 'healthgates/status',
      verbs: ['patch'],
      duties: always,
      why: 'Writes the result of each check, and what the gate holds.',
    },
    { resource: 'disruptionledgers', verbs: ['create'], duties: acting, why: 'Creates the ledger.' },
    {
      resource: 'disruptionledgers',
      verbs: ['get', 'patch'],
      duties: acting,
      names: ['lull'],
      why: 'Records every command before it begins, and reads the ledger again if another Lull was faster.',
    },
    {
      resource: 'disruptionledgers',
      verbs: ['delete'],
      duties: ['release'],
      names: ['lull'],
      why: 'Deletes the ledger once everything is released.',
    },
  ]),
  ...inGroup('coordination.k8s.io', [
    {
      resource: 'leases',
      verbs: ['create'],
      duties: always,
      isLocal: true,
      why: 'Creates the lease by which one of several Lulls leads.',
    },
    {
      resource: 'leases',
      verbs: ['get', 'update'],
      duties: everyone,
      names: ['lull'],
      isLocal: true,
      why: 'Acquires, renews and releases the lease, and writes the settings in force on it.',
    },
    {
      resource: 'leases',
      verbs: ['delete'],
      duties: ['release'],
      names: ['lull'],
      isLocal: true,
      why: 'Deletes the lease after a release.',
    },
    {
      resource: 'leases',
      verbs: ['list'],
      duties: ['release'],
      names: ['lull'],
      why: 'Finds the lease, and when it was last renewed.',
    },
  ]),
];

const told: readonly Permission[] = [
  {
    apiGroup: '',
    resource: 'events',
    verbs: ['create', 'patch'],
    duties: everyone,
    why: 'Reports on nodes, claims, pools and pods what happens to them and why they are held.',
  },
];

const looked: readonly Permission[] = [
  {
    apiGroup: '',
    resource: 'secrets',
    verbs: ['get'],
    duties: always,
    names: ['lull-health-gates'],
    isLocal: true,
    why: 'Credentials of HealthGates. For Secrets of other names, and for the objects of their checks, add a Role of your own.',
  },
  {
    apiGroup: '',
    resource: 'namespaces',
    verbs: ['get'],
    duties: always,
    names: ['kube-system'],
    why: 'Its uid is the identity of the cluster: `lull why` asks a running Lull only about its own cluster.',
  },
  {
    apiGroup: 'apps',
    resource: 'deployments',
    verbs: ['list'],
    duties: always,
    why: 'Which version of Karpenter is installed, and whether it runs.',
  },
  {
    apiGroup: '',
    resource: 'services',
    verbs: ['list'],
    duties: always,
    why: "Finds Karpenter's Service, whose metrics contain instance types and prices (F5).",
  },
];

const atBirth: readonly Permission[] = ['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'].flatMap(
  (resource): readonly Permission[] => [
    {
      apiGroup: 'admissionregistration.k8s.io',
      resource,
      verbs: ['get'],
      duties: ['guide', 'release'],
      names: [bornParkedName],
      why: 'Checks whether new nodes are parked at creation, and reports it if not.',
    },
    {
      apiGroup: 'admissionregistration.k8s.io',
      resource,
      verbs: ['delete'],
      duties: ['release'],
      names: [bornParkedName],
      why: 'Stops the parking of new nodes before the other nodes are released.',
    },
  ],
);

/** Kinds that are only read and carry no mark. */
const unmarked = new Set(watchedKinds.filter(({ mayBeRefused }) => mayBeRefused).map(({ plural }) => plural));

const stopped: readonly Permission[] = [
  {
    apiGroup: 'apps',
    resource: 'deployments/scale',
    verbs: ['patch'],
    duties: ['release'],
    names: ['lull'],
    isLocal: true,
    why: 'Stops Lull before it is uninstalled: it would write again what is released.',
  },
];

/** The release job reads everything that may carry a mark of Lull or explain one. */
const searched: readonly Permission[] = followed
  .filter(({ resource }) => !unmarked.has(resource))
  .map((row) => ({
    ...row,
    verbs: ['list'],
    duties: ['release'],
    why: 'Finds objects that carry a mark of Lull.',
  }));

export const permissions: readonly Permission[] = [
  ...followed,
  ...written,
  ...remembered,
  ...told,
  ...looked,
  ...atBirth,
  ...stopped,
  ...searched,
];

export const permissionsOf = (duty: Duty): readonly Permission[] =>
  permissions.filter(({ duties }) => duties.includes(duty));
