// Story events for windows, pod schedules and scheduled budgets that open and close, from the clock alone.
import type { Budget, MaintenanceWindow, NodeCount, Pool } from '../../cluster/model.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import { formatNodeCount, isMap } from '../../kinds/read/reader.ts';
import { readObject } from '../../kinds/readObject.ts';
import { all } from '../../time/combine.ts';
import { formatDuration } from '../../time/duration.ts';
import type { Window } from '../../time/window.ts';
import { type KubeObject, keyOf, sameJson } from '../kubeObject.ts';
import type { Objects } from '../objects.ts';
import type { VirtualClock, VirtualTimer } from '../virtualClock.ts';
import type { NewStoryEvent } from './storyEvent.ts';

interface ScheduledRule {
  /** `MaintenanceWindow/nightly`, `NodePool/web budgets[1]`, `Deployment/shop/web`. */
  readonly name: string;
  readonly pool?: string;
  readonly window: Window;
  readonly opens: string;
  readonly closes: string;
}

const workloads = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'Job']);

function rulesIn(object: KubeObject): readonly ScheduledRule[] {
  if (workloads.has(object.kind)) return rulesOfTemplate(object);
  const read = readObject(object);
  switch (read.kind) {
    case 'MaintenanceWindow':
      return [ruleOfWindow(read.record)];
    case 'NodePool':
      return rulesOfBudgets(read.record);
    case 'PodDisruptionSchedule': {
      const { name, mode, window } = read.record;
      return [podRule(`PodDisruptionSchedule/${name}`, `the pods of schedule ${name}`, mode, window)];
    }
    default:
      return [];
  }
}

function ruleOfWindow({ name, mode, window, life, reasons, nodes, per, note }: MaintenanceWindow): ScheduledRule {
  const forReasons = describeReasons(reasons);
  const hasCap = !('count' in nodes && nodes.count === 0);
  const why = note === undefined ? '' : ` (${note.replace(/\.$/, '')})`;
  const opens =
    mode === 'Allow'
      ? `opens${why}: disruption is allowed ${forReasons}${hasCap ? `, ${describeLimit(nodes, per)}` : ''}`
      : `begins${why}: ${mode === 'Approve' ? 'approval is required' : describeLimit(nodes, per)} ${forReasons}`;
  return {
    name: `MaintenanceWindow/${name}`,
    window: all([window, life]),
    opens: `Window ${name} ${opens}.`,
    closes: mode === 'Allow' ? `Window ${name} closes.` : `Window ${name} ends.`,
  };
}

function rulesOfBudgets({ name, budgets }: Pool): ScheduledRule[] {
  return budgets.flatMap((budget) => {
    if (!budget.window) return [];
    return [
      {
        name: `NodePool/${name} budgets[${budget.index}]`,
        pool: name,
        window: budget.window,
        opens: `Pool ${name}: budgets[${budget.index}] starts (${describeBudget(budget)}).`,
        closes: `Pool ${name}: budgets[${budget.index}] ends (${describeBudget(budget)}).`,
      },
    ];
  });
}

function describeBudget({ nodes, reasons }: Budget): string {
  const forReasons = reasons === undefined ? 'for any reason' : `for ${[...reasons].join(', ')}`;
  return `${describeLimit(nodes)} ${forReasons}`;
}

/** The schedule annotations in a workload's pod template (E4, E5). */
function rulesOfTemplate({ kind, metadata, spec }: KubeObject): ScheduledRule[] {
  const template = isMap(spec?.template) ? spec.template : {};
  const own = isMap(template.metadata) ? template.metadata : {};
  if (!isMap(own.annotations)) return [];
  const read = readObject({ apiVersion: 'v1', kind: 'Pod', metadata: { ...own, name: metadata.name } });
  const rules = read.kind === 'Pod' ? read.record.rules : undefined;
  const name = `${metadata.namespace ?? 'default'}/${metadata.name}`;
  const pods = `the pods of ${name}`;
  return [
    ...(rules?.allow ? [podRule(`${kind}/${name}`, pods, 'Allow', rules.allow)] : []),
    ...(rules?.block ? [podRule(`${kind}/${name} block`, pods, 'Block', rules.block)] : []),
  ];
}

function podRule(name: string, pods: string, mode: 'Allow' | 'Block', window: Window): ScheduledRule {
  const may = `From now on ${pods} may be moved.`;
  const mayNot = `From now on ${pods} may not be moved.`;
  return { name, window, opens: mode === 'Allow' ? may : mayNot, closes: mode === 'Allow' ? mayNot : may };
}

const describeReasons = (reasons: ReadonlySet<Reason>): string =>
  reasons.size >= budgetReasons.length ? 'for any reason' : `for ${[...reasons].join(', ')}`;

const describeLimit = (nodes: NodeCount, per?: MaintenanceWindow['per']): string => {
  const pace = describePace(per);
  if ('percent' in nodes) return `at most ${formatNodeCount(nodes)} of the nodes ${pace}`;
  return nodes.count === 0 ? 'no disruption' : `at most ${nodes.count} ${nodes.count === 1 ? 'node' : 'nodes'} ${pace}`;
};

function describePace(per: MaintenanceWindow['per']): string {
  if (per === undefined) return 'at a time';
  return per === 'opening' ? 'to begin in this opening' : `to begin in any ${formatDuration(per)}`;
}

type RecordEvent = (event: NewStoryEvent) => void;

const kinds = [
  'MaintenanceWindow',
  'PodDisruptionSchedule',
  'NodePool',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Job',
];

/** Records an event whenever a scheduled rule opens or closes from now on. */
export function followWindows(objects: Objects, clock: VirtualClock, record: RecordEvent): void {
  const timers = new Map<string, VirtualTimer[]>();

  const follow = (object: KubeObject): void => {
    forget(object);
    const slots: VirtualTimer[] = [];
    for (const [slot, rule] of rulesIn(object).entries()) waitFor(rule, slots, slot);
    if (slots.length > 0) timers.set(idOf(object), slots);
  };

  const waitFor = (rule: ScheduledRule, slots: VirtualTimer[], slot: number): void => {
    const at = rule.window.nextChange(clock.now);
    if (at === undefined) return;
    slots[slot] = clock.at(at, () => {
      record(changeOf(rule, rule.window.isOpen(at)));
      waitFor(rule, slots, slot);
    });
  };

  const forget = (object: KubeObject): void => {
    for (const timer of timers.get(idOf(object)) ?? []) timer?.cancel();
    timers.delete(idOf(object));
  };

  for (const kind of kinds) for (const object of objects.list(kind)) follow(object);
  objects.onChange(({ type, object, was }) => {
    if (!kinds.includes(object.kind)) return;
    if (type === 'DELETED') forget(object);
    else if (
      !was ||
      !sameJson(was.spec, object.spec) ||
      !sameJson(was.metadata.annotations, object.metadata.annotations)
    ) {
      follow(object);
    }
  });
}

const idOf = (object: KubeObject): string => `${object.kind}/${keyOf(object)}`;

const changeOf = ({ name, pool, opens, closes }: ScheduledRule, isOpen: boolean): NewStoryEvent => ({
  kind: isOpen ? 'WindowOpened' : 'WindowClosed',
  ...(pool !== undefined && { pool }),
  window: name,
  text: capital(isOpen ? opens : closes),
});

const capital = (text: string): string => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;
