// The differences between two sets of entries: which ended, began or changed.

/** Entries are compared by `says` only. */
export interface DiffEntry<Value> {
  readonly says: string;
  readonly value: Value;
}

/** Only `was`: it ended. Only `is`: it began. Both: it changed. */
export interface EntryDifference<Value> {
  readonly id: string;
  /** The current text, or the last one. */
  readonly says: string;
  readonly was?: Value;
  readonly is?: Value;
}

/** Ended entries first, then the rest in their order. `were` undefined = no entries. */
export function differencesOf<Value>(
  were: ReadonlyMap<string, DiffEntry<Value>> | undefined,
  are: ReadonlyMap<string, DiffEntry<Value>>,
): EntryDifference<Value>[] {
  const differences: EntryDifference<Value>[] = [];
  if (were === are) return differences;
  for (const [id, { says, value }] of were ?? []) if (!are.has(id)) differences.push({ id, says, was: value });
  for (const [id, { says, value }] of are) {
    const known = were?.get(id);
    if (!known) differences.push({ id, says, is: value });
    else if (known.says !== says) differences.push({ id, says, was: known.value, is: value });
  }
  return differences;
}
