// Which hours does a policy object keep? Every window, schedule and scheduled budget in it, with how its opening and closing are told.
import type { Budget, MaintenanceWindow, Pool } from '../../cluster/model.ts';
import type { Reason } from '../../cluster/reason.ts';
import { formatNodeCount } from '../../kinds/nodeCount.ts';
import { isMap } from '../../kinds/reader.ts';
import { readObject } from '../../kinds/readObject.ts';
import { all } from '../../time/combine.ts';
import type { Window } from '../../time/window.ts';
import type { KubeObject } from '../kubeObject.ts';

export interface Hours {
  /** `MaintenanceWindow/nightly`, `NodePool/web budgets[1]`, `Deployment/shop/web`. */
  readonly name: string;
  readonly pool?: string;
  readonly window: Window;
  readonly opens: string;
  readonly closes: string;
}

const workloads = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'Job']);

export function hoursIn(object: KubeObject): readonly Hours[] {
  if (workloads.has(object.kind)) return hoursOfTemplate(object);
  const read = readObject(object);
  switch (read.kind) {
    case 'MaintenanceWindow':
      return [hoursOfWindow(read.record)];
    case 'NodePool':
      return hoursOfBudgets(read.record);
    case 'PodDisruptionSchedule': {
      const { name, mode, window } = read.record;
      return [podHours(`PodDisruptionSchedule/${name}`, `the pods of schedule ${name}`, mode, window)];
    }
    default:
      return [];
  }
}

function hoursOfWindow({ name, mode, window, life, reasons, nodes, note }: MaintenanceWindow): Hours {
  const what = reasonsInWords(reasons);
  const cap = 'count' in nodes && nodes.count === 0 ? undefined : formatNodeCount(nodes);
  const why = note === undefined ? '' : ` (${note})`;
  const opens =
    mode === 'Allow'
      ? `opens${why}: ${what} may go${cap ? `, ${cap} at once` : ''}`
      : `begins${why}: ${what} ${cap ? `goes ${cap} at once` : 'stays'}`;
  return {
    name: `MaintenanceWindow/${name}`,
    window: all([window, life]),
    opens: `Window ${name} ${opens}.`,
    closes: mode === 'Allow' ? `Window ${name} closes.` : `Window ${name} ends.`,
  };
}

function hoursOfBudgets({ name, budgets }: Pool): Hours[] {
  return budgets.flatMap((budget) => {
    if (!budget.window) return [];
    return [
      {
        name: `NodePool/${name} budgets[${budget.index}]`,
        pool: name,
        window: budget.window,
        opens: `Pool ${name}: ${budgetInWords(budget)} from now on.`,
        closes: `Pool ${name}: the hours of ${budgetInWords(budget)} are over.`,
      },
    ];
  });
}

function budgetInWords({ nodes, reasons }: Budget): string {
  const what = reasons === undefined ? 'whatever the reason' : `for ${[...reasons].join(', ')}`;
  return 'count' in nodes && nodes.count === 0 ? `no node ${what}` : `at most ${formatNodeCount(nodes)} ${what}`;
}

/** E4, E5: what the pods of a workload say of themselves. */
function hoursOfTemplate({ kind, metadata, spec }: KubeObject): Hours[] {
  const template = isMap(spec?.template) ? spec.template : {};
  const own = isMap(template.metadata) ? template.metadata : {};
  if (!isMap(own.annotations)) return [];
  const read = readObject({ apiVersion: 'v1', kind: 'Pod', metadata: { ...own, name: metadata.name } });
  const rules = read.kind === 'Pod' ? read.record.rules : undefined;
  const name = `${metadata.namespace ?? 'default'}/${metadata.name}`;
  const pods = `the pods of ${name}`;
  return [
    ...(rules?.allow ? [podHours(`${kind}/${name}`, pods, 'Allow', rules.allow)] : []),
    ...(rules?.block ? [podHours(`${kind}/${name} block`, pods, 'Block', rules.block)] : []),
  ];
}

function podHours(name: string, pods: string, mode: 'Allow' | 'Block', window: Window): Hours {
  const may = `From now on ${pods} may be moved.`;
  const mayNot = `From now on ${pods} may not be moved.`;
  return { name, window, opens: mode === 'Allow' ? may : mayNot, closes: mode === 'Allow' ? mayNot : may };
}

const everyReason = 6;

const words: Readonly<Record<Reason, string>> = {
  Interrupted: 'what is interrupted',
  Unhealthy: 'repair',
  Empty: 'emptiness',
  Drifted: 'drift',
  Expired: 'expiry',
  Rebalance: 'rebalancing',
  Underutilized: 'consolidation',
};

function reasonsInWords(reasons: ReadonlySet<Reason>): string {
  if (reasons.size >= everyReason) return 'everything';
  return [...reasons].map((reason) => words[reason]).join(', ');
}
