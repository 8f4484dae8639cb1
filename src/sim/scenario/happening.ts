// What happens while a scenario runs? One entry of its script, and what it may lay hands on.
import type { Duration } from '../../time/instant.ts';
import type { PortFaults } from '../simPort.ts';
import type { World } from '../world.ts';

export interface Happening {
  /** After the start. */
  readonly at: Duration;
  /** The key it was written under: `release`, `scale`, `fault` … */
  readonly name: string;
  readonly happen: (stage: Stage) => void;
}

export interface Stage {
  readonly world: World;
  readonly controllers: Controllers;
  /** Which repetition of an entry with `every` this is, from 1. */
  readonly repetition: number;
  /** For the story. */
  tell(event: Told): void;
}

/** What a script may do to the controllers, without knowing how they run. */
export interface Controllers {
  readonly names: readonly string[];
  crash(name: string, downFor: Duration): void;
  /** Says that they could not do their work for so long, or for ever: what takes longer then is not held against them. */
  disturbed(length: Duration | undefined): void;
  /** What is wrong on the way to the API server, of one or of all; changed in place. */
  wires(name?: string): readonly PortFaults[];
}

export interface Told {
  readonly kind: 'Happening' | 'LoadChanged' | 'Fault';
  readonly text: string;
  readonly node?: string;
  readonly pool?: string;
  readonly workload?: string;
  readonly pods?: { readonly from: number; readonly to: number };
}
