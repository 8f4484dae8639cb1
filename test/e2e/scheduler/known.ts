// Known differences between Lull and the scheduler, by name, with the reason; any other difference is a bug.
import type { KubeObject } from '../story/hand.ts';
import type { Disagreement } from './trial.ts';

interface Known {
  readonly name: string;
  readonly why: string;
  holds(disagreement: Disagreement, pod: KubeObject): boolean;
}

/** The answers differ intentionally. */
const differences: readonly Known[] = [
  {
    name: 'affinity to namespaces by what they lack',
    why:
      'kube-scheduler 1.36 takes a namespaceSelector of NotIn and DoesNotExist alone for every namespace, in the affinity of the pod itself: a bug of its own, ' +
      'which admits a pod where its affinity does not hold, or does not treat it as the first of its group. Lull follows the documentation, so that a pod is not moved to where another version would leave it pending.',
    holds: ({ answer }, { spec }) => {
      const terms: readonly Term[] = spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      return 'node' in answer && terms.some(({ namespaceSelector }) => isByLack(namespaceSelector));
    },
  },
  {
    name: 'a claim whose binding is not complete',
    why: 'Lull treats a claim that names its volume as bound: the moment without the binding annotation passes by itself.',
    holds: ({ answer, objects }, { metadata, spec }) => {
      const claims = ((spec.volumes ?? []) as Mount[]).map(
        ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName,
      );
      const isHalfBound = ({ kind, metadata: own, spec: asked }: KubeObject): boolean =>
        kind === 'PersistentVolumeClaim' &&
        own.namespace === metadata.namespace &&
        claims.includes(own.name) &&
        asked.volumeName !== undefined &&
        own.annotations?.['pv.kubernetes.io/bind-completed'] === undefined;
      return 'pending' in answer && objects.some(isHalfBound);
    },
  },
];

interface Mount {
  readonly persistentVolumeClaim?: { readonly claimName: string };
}

interface Term {
  readonly namespaceSelector?: {
    readonly matchLabels?: object;
    readonly matchExpressions?: readonly { readonly operator: string }[];
  };
}

const isByLack = (selector: Term['namespaceSelector']): boolean =>
  Object.keys(selector?.matchLabels ?? {}).length === 0 &&
  (selector?.matchExpressions ?? []).length > 0 &&
  (selector?.matchExpressions ?? []).every(({ operator }) => /^(NotIn|DoesNotExist)$/.test(operator));

export const knownAs = (disagreement: Disagreement): string | undefined =>
  differences.find((known) => known.holds(disagreement, disagreement.objects.at(-1) as KubeObject))?.name;
