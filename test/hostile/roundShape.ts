// Checks that a value is a round as L2 defines it. Returns violations as sentences.
import { z } from 'zod';
import { reasons } from '../../src/cluster/reason.ts';
import { refusalCodes } from '../../src/engine/refusal.ts';

const instant = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const reason = z.enum(reasons);
const count = z.int().nonnegative();
/** Absent fields are absent, never empty strings. */
const given = z.string().min(1);

const owner = z.strictObject({
  kind: given,
  namespace: given.optional(),
  // An object without a name is a separate fault.
  name: z.string(),
  index: count.optional(),
});
const refusal = z.strictObject({
  code: z.enum(Object.keys(refusalCodes)),
  message: given,
  owner: owner.optional(),
  liftsAt: instant.optional(),
});

/** What is wrong, then what to write instead. */
const advice = /\S[.:] .*\S[.?]$/s;

const fault = z.object({
  object: given,
  path: z.string(),
  value: z.unknown().optional(),
  message: z.string().regex(advice),
  severity: z.enum(['error', 'warning', 'info']),
});

const round = z.object({
  at: instant,
  wakeAt: instant.optional(),
  verdicts: z.array(
    z.object({
      node: z.string(),
      claim: z.string().optional(),
      pool: given.optional(),
      reason,
      outcome: z.enum(['go', 'held', 'underway']),
      podsAgreeAt: instant.optional(),
      possibleAt: z.union([instant, z.literal('never')]).optional(),
      neverMeet: z.array(refusal.omit({ liftsAt: true })).optional(),
      waitsFor: z.enum(['the clock', 'the cluster', 'someone']).optional(),
      refusals: z.array(refusal),
    }),
  ),
  commands: z.array(
    z.object({
      id: z.string(),
      reason,
      hands: z.enum(['lull', 'karpenter']),
      nodes: z.array(z.string()),
      replacements: z.array(z.unknown()),
      step: given,
    }),
  ),
  actions: z.array(z.looseObject({ verb: given, kind: given, name: z.string() })),
  allowances: z.array(
    z.strictObject({
      pool: z.string(),
      reason,
      limit: count.optional(),
      consumed: count,
      left: count.optional(),
      budget: count.optional(),
      nextChange: instant.optional(),
    }),
  ),
  domains: z.array(
    z.strictObject({
      pool: z.string(),
      topologyKey: given,
      domain: z.string().optional(),
      counted: count,
      limit: count,
      consumed: count,
      left: count,
      state: z.enum(['turn', 'settling', 'waiting', 'done']),
      unwell: z.array(given).optional(),
    }),
  ),
  windows: z.array(
    z.strictObject({
      kind: z.enum(['MaintenanceWindow', 'PodDisruptionSchedule']),
      name: z.string(),
      open: z.boolean(),
      nextChange: instant.optional(),
      selected: count,
      holding: count,
      author: z.string().optional(),
      note: z.string().optional(),
    }),
  ),
  pods: z.array(
    z.strictObject({
      namespace: z.string(),
      name: z.string(),
      node: z.string(),
      movable: z.boolean(),
      movableAt: instant.optional(),
      refusals: z.array(refusal),
    }),
  ),
  faults: z.array(fault),
});

export function wrongInRound(json: string): string[] {
  const parsed = round.safeParse(JSON.parse(json));
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

export const wrongInFaults = (faults: readonly unknown[]): string[] => {
  const parsed = z.array(fault).safeParse(JSON.parse(JSON.stringify(faults)));
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
};
