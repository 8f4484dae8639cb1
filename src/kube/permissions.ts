// What may Lull do in a cluster, and why? Every call it makes, as rows: the roles that `lull install` makes and the reference come from here.
// Past 300 lines: one table, so that what Lull may do is read in one place.
import type { Settings } from '../cluster/settings.ts';
import { watchedKinds } from './apiKind.ts';
import { bornParkedName } from './bornParked.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** The roles of N1, and the job that lets go of everything where Lull is gone (N10). */
export type Duty = Settings['role'] | 'release';

export interface Permission {
  /** Empty = the core group. */
  readonly apiGroup: string;
  /** With its subresource, such as `pods/eviction`. */
  readonly resource: string;
  readonly verbs: readonly Verb[];
  /** In which duties it is needed. */
  readonly duties: readonly Duty[];
  /** Only these objects, where the API server can tell: it cannot for a create. */
  readonly names?: readonly string[];
  /** Only in the namespace that Lull lives in. */
  readonly isLocal?: true;
  /** One sentence. */
  readonly why: string;
}

const always = ['observe', 'guide', 'drive'] as const;
const acting = ['guide', 'drive'] as const;
const everyone = [...always, 'release'] as const;
const follow = ['list', 'watch'] as const;

/** What each kind that is followed is read for: a kind without a word here does not compile into a role. */
const readFor: Readonly<Record<string, string>> = {
  Namespace: 'A PodDisruptionSchedule, or the affinity of a pod, may select namespaces by their labels.',
  NodePool: 'Budgets, templates and the annotations of pools.',
  NodeClaim: 'Which claims are drifted, expired, launched or on their way out.',
  Node: 'Which nodes there are, how they are, and what stands on them.',
  Pod: 'What runs where, and which rules each pod has.',
  PodDisruptionBudget: 'How many pods may be evicted now.',
  PodDisruptionSchedule: 'When pods may be moved.',
  MaintenanceWindow: 'When nodes may go.',
  DaemonSet: 'What would run on a new node before any other pod.',
  PersistentVolumeClaim: 'Which volumes a pod takes along.',
  PersistentVolume: 'In which zone a volume can be had, and who attaches it.',
  StorageClass: 'Where a volume that is not bound yet can be made.',
  CSINode: 'How many volumes a node can attach.',
  CustomResourceDefinition: 'Whether the CRD of NodePools still keeps the fields that Lull adds (N9).',
  Event: 'What Karpenter says of a node that it does not take (N3).',
  DisruptionLedger: "Lull's memory: what it has begun.",
};

const byName = /^metadata\.name=/;

const followed: readonly Permission[] = watchedKinds.map(({ kind, apiVersion, plural, fieldSelector = '' }) => ({
  apiGroup: apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '',
  resource: plural,
  verbs: follow,
  duties: always,
  ...(byName.test(fieldSelector) && { names: [fieldSelector.replace(byName, '')] }),
  why: readFor[kind] ?? `Lull follows every ${kind}.`,
}));

const karpenter = 'karpenter.sh';

const written: readonly Permission[] = [
  {
    apiGroup: '',
    resource: 'nodes',
    verbs: ['patch'],
    duties: [...acting, 'release'],
    why: 'Parks and offers nodes (two annotations), and in drive marks those that leave (one taint).',
  },
  {
    apiGroup: '',
    resource: 'nodes',
    verbs: ['delete'],
    duties: ['drive'],
    why: 'Takes a drained node away that has no claim.',
  },
  {
    apiGroup: '',
    resource: 'pods',
    verbs: ['patch'],
    duties: [...acting, 'release'],
    why: "Keeps a pod whose schedule is closed out of Karpenter's drain (two annotations); drive takes off what guide left.",
  },
  {
    apiGroup: '',
    resource: 'pods',
    verbs: ['delete'],
    duties: acting,
    why: 'Ends pods of a leaving node one after another ahead of its deadline, with the seconds that remain.',
  },
  {
    apiGroup: '',
    resource: 'pods/eviction',
    verbs: ['create'],
    duties: ['drive'],
    why: 'Drains a node: PodDisruptionBudgets are kept by the API server.',
  },
  {
    apiGroup: '',
    resource: 'pods',
    verbs: ['get'],
    duties: ['drive'],
    why: 'Sees what became of a pod that was asked to go.',
  },
  {
    apiGroup: karpenter,
    resource: 'nodeclaims',
    verbs: ['patch'],
    duties: [...acting, 'release'],
    why: 'Makes a claim look drifted to Karpenter and restores it (guide), or writes its deadline (drive).',
  },
  {
    apiGroup: karpenter,
    resource: 'nodeclaims',
    verbs: ['create', 'delete'],
    duties: ['drive'],
    why: 'Makes replacements, and takes the claims of drained nodes away.',
  },
  {
    apiGroup: karpenter,
    resource: 'nodeclaims',
    verbs: ['delete'],
    duties: ['release'],
    why: 'Takes replacements away that Lull made and nobody uses: one that cannot launch holds up all of Karpenter.',
  },
  {
    apiGroup: karpenter,
    resource: 'nodepools',
    verbs: ['patch'],
    duties: [...acting, 'release'],
    why: "Mirrors budget fields that only the patched CRD keeps into an annotation of Lull's own.",
  },
  {
    apiGroup: karpenter,
    resource: 'nodepools/status',
    verbs: ['patch'],
    duties: everyone,
    why: "Says in conditions of Lull's own what each pool allows now.",
  },
  {
    apiGroup: karpenter,
    resource: 'maintenancewindows/status',
    verbs: ['patch'],
    duties: everyone,
    why: 'Says whether a window is open, and what it holds back.',
  },
  {
    apiGroup: karpenter,
    resource: 'poddisruptionschedules/status',
    verbs: ['patch'],
    duties: everyone,
    why: 'Says whether a schedule is open, and what it holds back.',
  },
  {
    apiGroup: karpenter,
    resource: 'maintenancewindows',
    verbs: ['create'],
    duties: always,
    why: 'Pauses everything when a person asks a running Lull to (`lull pause --server`).',
  },
  {
    apiGroup: karpenter,
    resource: 'maintenancewindows',
    verbs: ['patch', 'delete'],
    duties: always,
    names: ['lull-pause'],
    why: 'Changes and ends such a pause.',
  },
  {
    apiGroup: karpenter,
    resource: 'maintenancewindows',
    verbs: ['delete'],
    duties: ['release'],
    names: ['lull-pause'],
    why: 'Ends a pause that nobody would end any more.',
  },
];

const remembered: readonly Permission[] = [
  {
    apiGroup: 'lull.dev',
    resource: 'disruptionledgers',
    verbs: ['create'],
    duties: acting,
    why: 'Begins the ledger.',
  },
  {
    apiGroup: 'lull.dev',
    resource: 'disruptionledgers',
    verbs: ['get', 'patch'],
    duties: acting,
    names: ['lull'],
    why: 'Writes down what is begun before it is begun, and reads it again where another was faster.',
  },
  {
    apiGroup: 'lull.dev',
    resource: 'disruptionledgers',
    verbs: ['delete'],
    duties: ['release'],
    names: ['lull'],
    why: 'Forgets everything once nothing is left to remember.',
  },
  {
    apiGroup: 'coordination.k8s.io',
    resource: 'leases',
    verbs: ['create'],
    duties: always,
    isLocal: true,
    why: 'Begins the lease by which one of several Lulls leads.',
  },
  {
    apiGroup: 'coordination.k8s.io',
    resource: 'leases',
    verbs: ['get', 'update'],
    duties: everyone,
    names: ['lull'],
    isLocal: true,
    why: 'Takes, renews and gives back the lease, and writes the settings in force on it.',
  },
  {
    apiGroup: 'coordination.k8s.io',
    resource: 'leases',
    verbs: ['delete'],
    duties: ['release'],
    names: ['lull'],
    isLocal: true,
    why: 'Leaves no trace.',
  },
  {
    apiGroup: 'coordination.k8s.io',
    resource: 'leases',
    verbs: ['list'],
    duties: ['release'],
    names: ['lull'],
    why: 'Finds the lease, and when it was last renewed.',
  },
];

const told: readonly Permission[] = [
  {
    apiGroup: '',
    resource: 'events',
    verbs: ['create', 'patch'],
    duties: everyone,
    why: 'Tells on nodes, claims, pools and pods what happens to them and why not yet.',
  },
];

const looked: readonly Permission[] = [
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
    why: 'Which version of Karpenter is there, and whether it runs.',
  },
  {
    apiGroup: '',
    resource: 'services',
    verbs: ['list'],
    duties: always,
    why: "Finds Karpenter's Service, whose metrics say which instance types there are at which price (F5).",
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
      why: 'Sees whether new nodes are parked from birth, and says where they are not.',
    },
    {
      apiGroup: 'admissionregistration.k8s.io',
      resource,
      verbs: ['delete'],
      duties: ['release'],
      names: [bornParkedName],
      why: 'Ends the parking of new nodes before the others are released.',
    },
  ],
);

/** They are only read, and carry no mark. */
const unmarked = new Set(watchedKinds.filter(({ mayBeRefused }) => mayBeRefused).map(({ plural }) => plural));

const stopped: readonly Permission[] = [
  {
    apiGroup: 'apps',
    resource: 'deployments/scale',
    verbs: ['patch'],
    duties: ['release'],
    names: ['lull'],
    isLocal: true,
    why: 'Stops Lull before it is taken out of the cluster: what is released it would write again.',
  },
];

/** The job looks at everything that may carry a mark of Lull's, or say what a mark means. */
const searched: readonly Permission[] = followed
  .filter(({ resource }) => !unmarked.has(resource))
  .map((row) => ({
    ...row,
    verbs: ['list'],
    duties: ['release'],
    why: 'Finds what carries a mark of Lull.',
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
