// Faults: errors in objects that could still be parsed. They are reported, and what the object governs is held (C8, D7, E6, E7).

export interface Fault {
  /** `Kind/name` or `Kind/namespace/name`. */
  readonly object: string;
  /** Dotted, with `[i]`: `spec.disruption.budgets[1].schedule`. */
  readonly path: string;
  /** The value as written. */
  readonly value: unknown;
  /** One sentence on what is wrong, one on what to write instead. */
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'info';
  /** For an unknown field or key (K4): the known names that are similar, possibly none. */
  readonly meant?: readonly string[];
  /** Set when the object was read from a file. */
  readonly position?: Position;
}

export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
