// What users have requested and approved, read from the plain objects (Q).
import type { Host } from './cluster.ts';

/** `2026-11-18T10:00:00Z by ann: why`. */
const instantIn = (text: string | undefined): number => Date.parse(text?.split(/ by |: /)[0] ?? '');

/** Q1: a user requested it, for the node or its pool, after it was created. */
export function isRequested({ node, claim, pool }: Host, { now }: { readonly now: number }): boolean {
  const created = Date.parse((claim ?? node).metadata.creationTimestamp ?? '');
  return [node, pool].some((it) => {
    const at = instantIn(it?.metadata.annotations?.['lull.dev/roll-requested']);
    return created < at && at <= now;
  });
}

/** Q2: its pool requires approval. */
export const isToBeApproved = ({ pool }: Host): boolean =>
  pool?.metadata.annotations?.['lull.dev/approval'] === 'required';

/** Q2: the later end of the node's and its pool's approval. */
export const approvedUntil = ({ node, pool }: Host): number =>
  Math.max(
    -Infinity,
    ...[node, pool].map((it) => instantIn(it?.metadata.annotations?.['lull.dev/approved'])).filter(Number.isFinite),
  );
