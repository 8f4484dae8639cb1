// Whether a node is stable and its pool consolidates, derived from the outside (A3, A6).
import type { Round } from '../../src/engine/verdict.ts';

const turnedOff: readonly string[] = ['NotStable', 'PolicyOff', 'PoolMissing'];

/** Upstream's condition `Consolidatable`: it is not too early to consolidate the (empty) node, and it is wanted. */
export const consolidatable = ({ verdicts }: Round): boolean =>
  verdicts.some(
    ({ reason, refusals }) => reason === 'Empty' && refusals.every(({ code }) => !turnedOff.includes(code)),
  );
