// Which pods have a say, and when may each be moved? Those with a rule of their own, and all that hold a node.
import { openSlot } from '../../cluster/memory.ts';
import type { Pdb, Pod } from '../../cluster/model.ts';
import { compareText, type NodeView, type PdbBox, type PodView } from '../../cluster/nodeView.ts';
import { reasons } from '../../cluster/reason.ts';
import { asInstant, day, earliest, type Instant } from '../../time/instant.ts';
import { pdbOverlap, pdbSpent, podsToEvict } from '../gates/pdbs.ts';
import {
  gracefulReasons,
  movableHours,
  movableTogetherAt,
  podOptedOut,
  podScheduleRefusals,
  together,
} from '../gates/podRules.ts';
import type { Judged } from '../judged.ts';
import { podsLeaving } from '../limits/pdbReservations.ts';
import { nextPodChange } from '../podTimes.ts';
import type { Refusal } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { PodReport } from '../verdict.ts';

export function reportPods(situation: Situation, judged: readonly Judged[]): PodReport[] {
  const wishing = new Set(judged.map(({ wish }) => wish.view));
  const reserved = reservations(judged);
  const leaving = podsLeaving(situation);
  const reports: PodReport[] = [];
  for (const view of situation.cluster.nodes) {
    if (!view.managed) continue;
    const told = reportNode(view, wishing.has(view), situation);
    const mine = reserved.get(view);
    const known = mine ? withReserved(told, view, mine) : told;
    for (const report of promised(known, view, { leaving, situation })) reports.push(report);
  }
  return reports;
}

/**
 * E10, E12: time alone does not free a pod for which its PDB has no room left beside the pods of nodes that leave already. What
 * nodes that are chosen at that instant will take is not known yet.
 */
function promised(
  reports: readonly PodReport[],
  view: NodeView,
  { leaving, situation }: { leaving: ReadonlyMap<PdbBox, number>; situation: Situation },
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

/** By PDB name within the node's guarded pods: E10's refusals of PDBs that do allow something, but too little for all. */
type Reserved = ReadonlyMap<PdbBox, Refusal>;

function reservations(judged: readonly Judged[]): ReadonlyMap<NodeView, Reserved> {
  const reserved = new Map<NodeView, Map<PdbBox, Refusal>>();
  for (const { wish, refusals } of judged) {
    for (const refusal of refusals) {
      if (refusal.code !== 'PdbSpent') continue;
      const box = wish.view.guarded.find(({ box: { pdb } }) => isOf(pdb, refusal))?.box;
      if (!box || box.pdb.disruptionsAllowed < 1) continue;
      const mine = reserved.get(wish.view) ?? new Map<PdbBox, Refusal>();
      reserved.set(wish.view, mine.set(box, refusal));
    }
  }
  return reserved;
}

const isOf = ({ namespace, name }: Pdb, { owner }: Refusal): boolean =>
  owner?.namespace === namespace && owner.name === name;

interface Told {
  readonly isWishing: boolean;
  readonly asked: Instant;
  readonly until: Instant | undefined;
  readonly pdbRevision: number;
  readonly reports: readonly PodReport[];
}

const remembered = openSlot<Told>();

/** The same until a pod's window opens or closes, or some PDB reports anew. */
function reportNode(view: NodeView, isWishing: boolean, situation: Situation): readonly PodReport[] {
  const { now } = situation;
  if (view.timed.length + view.guarded.length + view.overlapping.length === 0) return nothing;
  const known = remembered.recall(view);
  if (known && known.isWishing === isWishing && isStill(known, situation)) return known.reports;
  const told: Told = {
    isWishing,
    asked: now,
    until: earliest(nextPodChange(view, now), tomorrow(now)),
    pdbRevision: situation.cluster.pdbRevision,
    reports: workOut(view, isWishing, now),
  };
  return remembered.keep(view, told).reports;
}

const nothing: readonly PodReport[] = [];

/** What is never movable within 400 days of one day may be within those of the next. */
const tomorrow = (now: Instant): Instant => asInstant((Math.floor(now / day) + 1) * day);

const isStill = ({ asked, until, pdbRevision }: Told, { now, cluster }: Situation): boolean =>
  now >= asked && (until === undefined || now < until) && pdbRevision === cluster.pdbRevision;

/** Reservations change from round to round: they are added to what is remembered. */
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
    const spent = pdbSpent(box.pdb, 'it allows no eviction now');
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
  // E11: while it opts out of all of them no PDB is asked for it; but when that ends, the PDB is there.
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
