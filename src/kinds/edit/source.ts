// Where in a text does each part of a value stand? Maps, lists and scalars with their offsets, of YAML and JSON alike.
import type { Scalar } from 'yaml';

export interface SourceNode {
  readonly shape: 'map' | 'list' | 'scalar';
  /** In brackets, as all of JSON is; else by indentation. */
  readonly flow: boolean;
  readonly from: number;
  /** Just after its last character. */
  readonly to: number;
  readonly entries: readonly SourceEntry[];
  /** How a scalar is quoted. */
  readonly quotes?: Scalar.Type;
}

export interface SourceEntry {
  /** The key, or the place in the list. */
  readonly key: string;
  /** Where the key or the dash begins; in a list in brackets, the value. */
  readonly from: number;
  readonly keyTo: number;
  /** It stands in brackets. */
  readonly flow: boolean;
  /** In a list. */
  readonly item: boolean;
  /** Just after the colon or the dash. */
  readonly after: number;
  /** Absent = nothing is written there. */
  readonly value?: SourceNode;
}

export interface Source {
  readonly text: string;
  readonly json: boolean;
  /** The object that begins there. */
  mapAt(offset: number): SourceNode | undefined;
  /** The comments of a stretch, in order. */
  commentsIn(from: number, to: number): readonly string[];
}
