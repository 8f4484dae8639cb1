// Time of a round as the cluster grows, with nothing cached and after one change.
import { emptyLedger, type Ledger } from '../src/cluster/ledger.ts';
import { defaultSettings, type Settings } from '../src/cluster/settings.ts';
import type { ClusterStore } from '../src/cluster/store.ts';
import { decide as decideOnly, decideRound } from '../src/engine/round.ts';
import type { Round } from '../src/engine/verdict.ts';
import { asInstant, type Instant, parseInstant } from '../src/time/instant.ts';
import { asChange, decidedAt, flippedPod, grow, podsPerNode } from './grownCluster.ts';
import { measure } from './measure.ts';
import { table } from './table.ts';

const settings: Settings = { ...defaultSettings, role: 'drive' };
const now = parseInstant(decidedAt) as Instant;

export function benchEngine(): string {
  const head = [
    'nodes',
    'pods',
    'first round',
    'full round',
    'after one change',
    'unwatched',
    'allocated full',
    'after one change',
    'verdicts',
    'under way',
  ];
  return table(head, [100, 1_000, 10_000].map(benchSize));
}

function benchSize(nodes: number): string[] {
  const store = grow(nodes);
  const started = performance.now();
  const first = decide(store, emptyLedger, now);
  const firstMs = performance.now() - started;
  // From here on as in a running cluster: what was started is under way.
  const { ledger } = first;
  // Settings that are equal but not identical: the rules' caches do not apply.
  const full = measure(() => decideRound({ cluster: store, ledger }, now, { ...settings }));
  const changed = measure((turn) => {
    store.apply(asChange(flippedPod(turn % nodes, turn % 2 === 0)));
    decide(store, ledger, asInstant(now + turn));
  });
  // What the loop pays with no viewers connected.
  const unwatched = measure((turn) => {
    store.apply(asChange(flippedPod(turn % nodes, turn % 2 === 0)));
    decideOnly({ cluster: store, ledger }, asInstant(now + turn), settings);
  });
  const figures = [firstMs, full.medianMs, changed.medianMs, unwatched.medianMs].map((ms) => `${ms.toFixed(1)} ms`);
  const allocated = [full.allocatedMb, changed.allocatedMb].map((mb) => `${mb.toFixed(1)} MB`);
  const { verdicts, commands } = decide(store, ledger, now);
  return [
    count(nodes),
    count(nodes * podsPerNode),
    ...figures,
    ...allocated,
    count(verdicts.length),
    count(commands.length),
  ];
}

const decide = (store: ClusterStore, ledger: Ledger, at: Instant): Round =>
  decideRound({ cluster: store, ledger }, at, settings);

const count = (value: number): string => value.toLocaleString('en');
