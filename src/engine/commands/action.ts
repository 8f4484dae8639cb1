// Actions: requests to the API server as data (G8), the same for the simulator and a real cluster, and patches of annotations.

export interface Action {
  readonly verb: 'patch' | 'create' | 'delete' | 'evict';
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** RFC 6902; `test` operations are its preconditions. */
  readonly patch?: readonly PatchOperation[];
  readonly object?: unknown;
  /** Identifies the observed object, so that the API server rejects a late or repeated request. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Grace period for the deletion of a pod (H2). */
  readonly graceSeconds?: number;
  /** The command that requests it (G2). */
  readonly command?: string;
}

export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test';
  readonly path: string;
  readonly value?: unknown;
}

// Annotations are changed by one patch that tests the observed values, so that no other writer's change is lost (N2, K4).

/** By key: the value; undefined = absent. */
export type AnnotationValues = Readonly<Record<string, string | undefined>>;

const whole = '/metadata/annotations';

const pathOf = (key: string): string => `${whole}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** `seen` has every key that must not have changed, `wanted` the new values. `bare`: the object has no annotations at all. */
export function annotate(seen: AnnotationValues, wanted: AnnotationValues, bare: boolean): readonly PatchOperation[] {
  if (bare) {
    const value = Object.fromEntries(Object.entries(wanted).filter(([, text]) => text !== undefined));
    return [
      { op: 'test', path: whole, value: null },
      { op: 'add', path: whole, value },
    ];
  }
  const tests = Object.entries(seen).map(
    ([key, text]) => ({ op: 'test', path: pathOf(key), value: text ?? null }) as const,
  );
  const changes = Object.entries(wanted).flatMap(([key, text]): PatchOperation[] => {
    if (text === seen[key]) return [];
    return text === undefined ? [{ op: 'remove', path: pathOf(key) }] : [{ op: 'add', path: pathOf(key), value: text }];
  });
  return [...tests, ...changes];
}
