// Reports on pods that restrict when they move, and on pods that hold a node: whether and when each may be moved.
import { memoUntil } from '../../cluster/memo.ts';
import type { Pdb, Pod } from '../../cluster/model.ts';
import { compareText, type NodeView, type PdbRef, type PodView } from '../../cluster/nodeView.ts';
import { reasons } from '../../cluster/reason.ts';
import { asInstant, day, earliest, type Instant } from '../../time/instant.ts';
import { podsLeaving } from '../limits/pdbReservations.ts';
import type { Refusal } from '../refusal.ts';
import {
  gracefulReasons,
  movableHours,
  movableTogetherAt,
  nextPodChange,
  pdbOverlap,
  pdbSpent,
  podOptedOut,
  podScheduleRefusals,
  podsToEvict,
  together,
} from '../rules/podRules.ts';
import type { Situation } from '../situation.ts';
import type { PodReport } from '../verdict.ts';
import type { WishOutcome } from '../wishOutcome.ts';

export function reportPods(situation: Situation, judged: readonly WishOutcome[]): PodReport[] {
  const { cluster, now } = situation;
  const wishing = new Set(judged.map(({ wish }) => wish.view));
  const reserved = reservations(judged);
  const leaving = podsLeaving(situation);
  const reports: PodReport[] = [];
  for (const view of cluster.nodes) {
    if (!view.managed || view.timed.length + view.guarded.length + view.overlapping.length === 0) continue;
    const told = reportNode(view, now, wishing.has(view), cluster.pdbRevision);
    const mine = reserved.get(view);
    const known = mine ? withReserved(told, view, mine) : told;
    for (const report of promised(known, view, { leaving, situation })) reports.push(report);
  }
  return reports;
}

/**
 * Drops `movableAt` where the pod's PDB has no room beside the pods of nodes already being disrupted: time alone does not free it (E10,
 * E12). Which nodes will be chosen at that instant is not known yet.
 */
function promised(
  reports: readonly PodReport[],
  view: NodeView,
  { leaving, situation }: { leaving: ReadonlyMap<PdbRef, number>; situation: Situation },
): readonly PodReport[] {
  const shared = view.guarded.filter(({ box }) => leaving.has(box));
  if (shared.length === 0 || situation.inFlight.has(view.node.name)) return reports;
  return reports.map((report) => {
    const { movableAt, ...rest } = report;
    const mine = shared.find(({ pods }) => pods.some((pod) => isReportOf(report, pod)));
    if (movableAt === undefined || !mine) return report;
    const others = leaving.get(mine.box) ?? 0;
    const most = Math.max(...reasons.map((reason) => podsToEvict(mine, reason, movableAt)));
    return others + most > mine.box.pdb.disruptionsAllowed ? rest : report;
  });
}

const isReportOf = (report: PodReport, { namespace, name }: Pod): boolean =>
  report.name === name && report.namespace === namespace;

/** Refusals of PDBs that allow some evictions, but too few for all (E10). */
type Reserved = ReadonlyMap<PdbRef, Refusal>;

function reservations(judged: readonly WishOutcome[]): ReadonlyMap<NodeView, Reserved> {
  const reserved = new Map<NodeView, Map<PdbRef, Refusal>>();
  for (const { wish, refusals } of judged) {
    for (const refusal of refusals) {
      if (refusal.code !== 'PdbSpent') continue;
      const box = wish.view.guarded.find(({ box: { pdb } }) => isOf(pdb, refusal))?.box;
      if (!box || box.pdb.disruptionsAllowed < 1) continue;
      const mine = reserved.get(wish.view) ?? new Map<PdbRef, Refusal>();
      reserved.set(wish.view, mine.set(box, refusal));
    }
  }
  return reserved;
}

const isOf = ({ namespace, name }: Pdb, { owner }: Refusal): boolean =>
  owner?.namespace === namespace && owner.name === name;

/** Cached until a pod's window opens or closes, or a PDB's status changes. */
const reportNode = memoUntil((view: NodeView, now, isWishing: boolean, _pdbRevision: number) => ({
  value: workOut(view, isWishing, now),
  until: earliest(nextPodChange(view, now), tomorrow(now)),
}));

/** A pod that is not movable within 400 days from today may be within 400 days from tomorrow. */
const tomorrow = (now: Instant): Instant => asInstant((Math.floor(now / day) + 1) * day);

/** Reservations change from round to round, so they are added to the cached reports. */
function withReserved(told: readonly PodReport[], view: NodeView, reserved: Reserved): readonly PodReport[] {
  const reports = [...told];
  for (const { box, pods } of view.guarded) {
    const refusal = reserved.get(box);
    if (!refusal) continue;
    for (const { namespace, name } of pods) {
      const at = told.findIndex((report) => report.name === name && report.namespace === namespace);
      const { movableAt: _, ...known } = told[at] ?? { namespace, name, node: view.node.name, refusals: [] };
      const report = { ...known, movable: false, refusals: [...known.refusals, refusal] };
      if (at >= 0) reports[at] = report;
      else reports.push(report);
    }
  }
  return reports.sort(byName);
}

const byName = (a: PodReport, b: PodReport): number =>
  compareText(a.namespace, b.namespace) || compareText(a.name, b.name);

function workOut(view: NodeView, isWishing: boolean, now: Instant): readonly PodReport[] {
  const byPdb = pdbRefusals(view);
  const reports = view.timed.map((timed) => reportTimed(timed, view.node.name, { byPdb: byPdb.get(timed.pod), now }));
  if (!isWishing || byPdb.size === 0) return reports;
  const told = new Set(view.timed.map(({ pod }) => pod));
  for (const [pod, refusal] of byPdb) {
    const { namespace, name } = pod;
    if (!told.has(pod)) reports.push({ namespace, name, node: view.node.name, movable: false, refusals: [refusal] });
  }
  return reports.sort(byName);
}

function pdbRefusals({ overlapping, guarded }: NodeView): ReadonlyMap<Pod, Refusal> {
  const refusals = new Map<Pod, Refusal>();
  for (const overlap of overlapping) refusals.set(overlap.pod, pdbOverlap(overlap));
  for (const { box, pods } of guarded) {
    if (box.pdb.disruptionsAllowed >= 1) continue;
    const spent = pdbSpent(box.pdb, 'allows no eviction now');
    for (const pod of pods) refusals.set(pod, spent);
  }
  return refusals;
}

function reportTimed(
  timed: PodView,
  node: string,
  { byPdb, now }: { byPdb: Refusal | undefined; now: Instant },
): PodReport {
  const { namespace, name } = timed.pod;
  const optOuts = gracefulReasons.flatMap((reason) => podOptedOut(timed.pod, reason, now) ?? []);
  const own = [...optOuts.slice(0, 1), ...podScheduleRefusals(timed, now)];
  // While the pod opts out of all reasons its PDB does not count (E11); when the opt-out ends it does.
  const asked = byPdb && optOuts.length < gracefulReasons.length ? [byPdb] : [];
  const hours = gracefulReasons.map((reason) => movableHours(timed, reason));
  const movableAt = own.length > 0 && !byPdb ? movableTogetherAt(together(hours), now) : undefined;
  const refusals = [...own, ...asked];
  return {
    namespace,
    name,
    node,
    movable: refusals.length === 0,
    ...(movableAt !== undefined && { movableAt }),
    refusals,
  };
}
