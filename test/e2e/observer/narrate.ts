// A roll as the observer saw it: one line per event of a node, with the seconds since the first.
import type { ClaimLine, NodeLine, Timeline } from './timeline.ts';

export function narrate({ lines }: Timeline, since = 0): string {
  const told = lines.filter(({ at }) => at >= since);
  const start = told[0]?.at ?? 0;
  const before = new Map<string, NodeLine | ClaimLine>();
  const rows: string[] = [];
  for (const line of lines) {
    if (line.kind !== 'Node' && line.kind !== 'NodeClaim') continue;
    const earlier = before.get(line.uid);
    before.set(line.uid, line);
    if (line.at < since) continue;
    for (const sentence of line.kind === 'Node'
      ? ofNode(line, earlier as NodeLine)
      : ofClaim(line, earlier as ClaimLine)) {
      const seconds = ((line.at - start) / 1000).toFixed(1).padStart(7);
      rows.push(`${seconds} s  ${(line.pool ?? '').padEnd(8)} ${(line.zone ?? '').padEnd(12)} ${sentence}`);
    }
  }
  return rows.join('\n');
}

function* ofNode(line: NodeLine, before: NodeLine | undefined): Generator<string> {
  const { name, what } = line;
  if (what === 'gone') yield `node ${name} is gone`;
  if (what === 'appeared') yield `node ${name} appears${line.parked ? ', parked' : ''}`;
  if (what !== 'changed' || !before) return;
  if (!before.parked && line.parked) yield `node ${name} is parked`;
  if (before.parked && !line.parked) yield `node ${name} is offered`;
  if (before.ready !== line.ready) yield `node ${name} is ${line.ready === 'True' ? 'Ready' : 'not Ready'}`;
  for (const key of line.taints)
    if (!ofStart(key) && !before.taints.includes(key)) yield `node ${name} is tainted ${key}`;
  for (const key of before.taints)
    if (!ofStart(key) && !line.taints.includes(key)) yield `node ${name} loses the taint ${key}`;
}

/** Taints that every new node has for a moment. */
const ofStart = (key: string): boolean => key.startsWith('node.kubernetes.io/') || key === 'karpenter.sh/unregistered';

function* ofClaim(line: ClaimLine, before: ClaimLine | undefined): Generator<string> {
  const { name, what } = line;
  if (what === 'gone') yield `claim ${name} is gone`;
  if (what === 'appeared') yield `claim ${name} appears`;
  if (what !== 'changed' || !before) return;
  if (!before.deleting && line.deleting) yield `claim ${name} is being deleted`;
  if (before.drifted !== 'True' && line.drifted === 'True') yield `claim ${name} is Drifted`;
  if (before.initialized !== 'True' && line.initialized === 'True') yield `claim ${name} is Initialized`;
  if (before.hash && line.hash && before.hash !== line.hash) yield `claim ${name} has another hash`;
}
