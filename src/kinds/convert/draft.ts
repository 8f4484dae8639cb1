// Collects the edits of one document and the notes on them.
import type { Edit, MoveEdit } from '../edit/applyEdits.ts';

/** One change, as shown to the user. */
export interface ChangeNote {
  readonly path: string;
  readonly change: string;
  /** How Lull decides differently after the change. Absent if it does not. */
  readonly behaviour?: string;
  /** What Karpenter itself does differently after the change. */
  readonly karpenter?: string;
}

/** A note with the fields of the pool or window that `behaviour` explains. */
export interface DraftNote extends ChangeNote {
  readonly facts?: readonly string[];
}

type Consequences = Pick<DraftNote, 'behaviour' | 'karpenter' | 'facts'>;

export class Draft {
  readonly edits: (Edit | MoveEdit)[] = [];
  readonly notes: DraftNote[] = [];

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

  /** Moves a field and changes its value. */
  moveAs(path: string, to: string, value: unknown): void {
    this.edits.push({ path, move: to, as: value });
  }

  /** The paths that fields are moved to. */
  targets(): Set<string> {
    return new Set(this.edits.flatMap((edit) => ('move' in edit ? [edit.move] : [])));
  }

  note(path: string, change: string, consequences: Consequences = {}): void {
    this.notes.push({ path, change, ...consequences });
  }
}

/** As in Kubernetes, null counts as absent. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
