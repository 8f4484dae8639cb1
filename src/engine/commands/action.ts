// What is to be asked of the API server? An action is one request as data (G8), the same for the simulator and a real cluster.

export interface Action {
  readonly verb: 'patch' | 'create' | 'delete' | 'evict';
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** RFC 6902, with `test` operations as its preconditions. */
  readonly patch?: readonly PatchOperation[];
  readonly object?: unknown;
  readonly preconditions?: { readonly uid?: string };
}

export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test';
  readonly path: string;
  readonly value?: unknown;
}
