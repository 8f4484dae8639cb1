// What is to be asked of the API server? An action is one request as data (G8), the same for the simulator and a real cluster.

export interface Action {
  readonly verb: 'patch' | 'create' | 'delete' | 'evict';
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** RFC 6902, with `test` operations as its preconditions. */
  readonly patch?: readonly PatchOperation[];
  readonly object?: unknown;
  /** The object as it was seen: a request that comes too late, or a second time, is refused by the API server. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** For the deletion of a pod (H2). */
  readonly graceSeconds?: number;
  /** G2: the command that asks for it. */
  readonly command?: string;
}

export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test';
  readonly path: string;
  readonly value?: unknown;
}
