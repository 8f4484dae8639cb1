// What is to be changed in one document, and what is said about it?
import type { Edit, Move } from '../edit.ts';

/** One change as a person is told of it. */
export interface Said {
  readonly path: string;
  readonly change: string;
  /** What Lull decides otherwise from then on. Absent = nothing. */
  readonly behaviour?: string;
  /** What Karpenter itself does otherwise from then on. */
  readonly karpenter?: string;
}

/** With the facts that `behaviour` accounts for: fields of a pool or window. */
export interface Remark extends Said {
  readonly facts?: readonly string[];
}

type Consequences = Pick<Remark, 'behaviour' | 'karpenter' | 'facts'>;

export class Draft {
  readonly edits: (Edit | Move)[] = [];
  readonly notes: Remark[] = [];

  set(path: string, value: unknown): void {
    this.edits.push({ path, set: value });
  }

  remove(path: string): void {
    this.edits.push({ path, remove: true });
  }

  rename(path: string, to: string): void {
    this.edits.push({ path, rename: to });
  }

  move(path: string, to: string): void {
    this.edits.push({ path, move: to });
  }

  /** It goes elsewhere and says there what it means today. */
  moveAs(path: string, to: string, value: unknown): void {
    this.edits.push({ path, move: to, as: value });
  }

  /** Where something is moved to. */
  targets(): Set<string> {
    return new Set(this.edits.flatMap((edit) => ('move' in edit ? [edit.move] : [])));
  }

  say(path: string, change: string, consequences: Consequences = {}): void {
    this.notes.push({ path, change, ...consequences });
  }
}

/** As Kubernetes reads it: null is absent. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
