// What is wrong with an object that could be read? A fault is a value: it is shown, and what it holds is held (C8, D7, E6, E7).

export interface Fault {
  /** `Kind/name` or `Kind/namespace/name`. */
  readonly object: string;
  /** Dotted, with `[i]`: `spec.disruption.budgets[1].schedule`. */
  readonly path: string;
  /** The value as it was given. */
  readonly value: unknown;
  /** What is wrong and what would be right, in one sentence each. */
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'info';
  /** Present for an unknown field or key (K4): the known names it is close to, if any. */
  readonly meant?: readonly string[];
  /** Where it stands, when it was read from a file. */
  readonly position?: Position;
}

export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
