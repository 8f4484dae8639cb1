// The observer's file, line by line, with the nodes in flight after each line.
import { existsSync, readFileSync } from 'node:fs';

interface Line {
  /** Milliseconds of the observer's own clock. */
  readonly at: number;
  readonly what: 'appeared' | 'changed' | 'gone';
  readonly name: string;
  readonly uid: string;
}

export interface NodeLine extends Line {
  readonly kind: 'Node';
  readonly pool?: string;
  readonly zone?: string;
  readonly ready?: string;
  readonly taints: readonly string[];
  readonly doNotDisrupt?: string;
  readonly parked?: string;
  readonly cordoned?: boolean;
  readonly deleting?: string;
}

export interface ClaimLine extends Line {
  readonly kind: 'NodeClaim';
  readonly pool?: string;
  readonly zone?: string;
  readonly node?: string;
  readonly created?: string;
  readonly deleting?: string;
  readonly initialized?: string;
  readonly drifted?: string;
  /** Karpenter's reason for disrupting it: `Underutilized`. */
  readonly reason?: string;
  readonly hash?: string;
}

export interface PodLine extends Line {
  readonly kind: 'Pod';
  readonly node?: string;
  readonly app?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly owner?: string;
  readonly phase?: string;
  readonly ready?: string;
  readonly doNotDisrupt?: string;
  readonly parked?: string;
  readonly deleting?: string;
}

export interface PdbLine extends Line {
  readonly kind: 'PodDisruptionBudget';
  readonly selector?: Readonly<Record<string, string>>;
  readonly healthy?: number;
  readonly desired?: number;
  readonly allowed?: number;
  readonly expected?: number;
}

export type Seen = NodeLine | ClaimLine | PodLine | PdbLine;

export interface Timeline {
  readonly lines: readonly Seen[];
  readonly flushed: ReadonlySet<string>;
}

export function readTimeline(file: string): Timeline {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const flushed = new Set<string>();
  const lines: Seen[] = [];
  // The last one may be incomplete.
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    if (line === '') continue;
    const read = JSON.parse(line);
    if (read.flushed === undefined) lines.push(read);
    else flushed.add(read.flushed);
  }
  return { lines, flushed };
}

/** What disrupts it: Karpenter's taint, Lull's, or a running deletion. */
const takingTaints = new Set(['karpenter.sh/disrupted', 'lull.dev/disrupted']);

export interface Flight {
  readonly at: number;
  /** Nodes that are being disrupted, as last seen. */
  readonly nodes: readonly NodeLine[];
}

/**
 * In flight = the node is tainted for disruption, or it or its claim is being deleted, until the node is gone.
 * One entry for each moment at which that set changed.
 */
export function flightsOf({ lines }: Timeline): readonly Flight[] {
  const nodes = new Map<string, NodeLine>();
  /** Names of nodes whose claim is being deleted. */
  const going = new Map<string, string>();
  const flights: Flight[] = [];
  let before = '';
  for (const line of lines) {
    if (line.kind === 'Node') {
      if (line.what === 'gone') nodes.delete(line.uid);
      else nodes.set(line.uid, line);
    } else if (line.kind === 'NodeClaim') {
      if (line.deleting && line.node) going.set(line.uid, line.node);
    } else continue;
    const marked = new Set(going.values());
    const flying = [...nodes.values()].filter(
      (node) => node.deleting || marked.has(node.name) || node.taints.some((key) => takingTaints.has(key)),
    );
    const text = flying.map(({ uid }) => uid).join();
    if (text !== before) flights.push({ at: line.at, nodes: flying });
    before = text;
  }
  return flights;
}
