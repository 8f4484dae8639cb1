// Which ways of breaking Lull must the model tests notice? Each is one small edit, as a tired person would make it.

export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

export const mutations: readonly Mutation[] = [
  {
    name: 'C6: a budget is off by one',
    file: 'src/engine/limits/poolBudgets.ts',
    from: 'return needs <= limit ? none',
    to: 'return needs <= limit + 1 ? none',
  },
  {
    name: 'C9: the limit of a domain is off by one',
    file: 'src/engine/limits/topologyLimits.ts',
    from: 'if (needed(consumed, isOwn) <= domain.limit) return [];',
    to: 'if (needed(consumed, isOwn) <= domain.limit + 1) return [];',
  },
  {
    name: 'C6: what this round has started is not counted',
    file: 'src/engine/limits/poolBudgets.ts',
    from: 'consumedFor(reason, this.#tally) + this.#startedFor(reason)',
    to: 'consumedFor(reason, this.#tally) + 0 * this.#startedFor(reason)',
  },
  {
    name: 'C4: commands under way use no unit',
    file: 'src/engine/situation.ts',
    from: 'consumed: consumed + more.filter(({ state }) => state.ready).length,',
    to: 'consumed,',
  },
  {
    name: 'C11: the turn is forgotten',
    file: 'src/engine/limits/turn.ts',
    from: 'return (turn && continueTurn(turn, flights, roll)) ?? nextTurn(turn, flights, roll);',
    to: 'return nextTurn(turn, flights, roll);',
  },
  {
    name: 'C11: nobody is told that it is not its turn',
    file: 'src/engine/limits/topologyLimits.ts',
    from: 'if (!turn?.holder) return [];',
    to: 'if (turn || !turn) return [];',
  },
  {
    name: 'C13: settling is skipped',
    file: 'src/engine/limits/turn.ts',
    from: 'if (situation.now >= until) return undefined;',
    to: 'if (until) return undefined;',
  },
  {
    name: 'C13: a domain that is not well is passed',
    file: 'src/engine/limits/turn.ts',
    from: 'const unwell = findUnwell(turn, roll);',
    to: 'const unwell = findUnwell(turn, roll).slice(0, 0);',
  },
  {
    name: 'C13: evicted pods are not expected back',
    file: 'src/engine/limits/wellness.ts',
    from: '...missingPods(turn, situation),',
    to: '...missingPods(turn, situation).slice(0, 0),',
  },
  {
    name: 'D2: maintenance windows are ignored',
    file: 'src/engine/gates/windows.ts',
    from: 'if (view.windows.length === 0) return none;',
    to: 'if (view.windows.length >= 0) return none;',
  },
  {
    name: 'D5: the cap of a window is off by one',
    file: 'src/engine/limits/windowCaps.ts',
    from: 'const full = mine.filter(({ used, most }) => used >= most);',
    to: 'const full = mine.filter(({ used, most }) => used > most);',
  },
  {
    name: 'E10: PDBs are ignored when nodes are chosen',
    file: 'src/engine/gates/pdbs.ts',
    from: 'if (overlapping.length + guarded.length === 0 || pdbsAreWaived(wish)) return none;',
    to: 'if (overlapping.length + guarded.length >= 0 || pdbsAreWaived(wish)) return none;',
  },
  {
    name: 'E10: nodes are chosen together that stall on one PDB',
    file: 'src/engine/limits/pdbReservations.ts',
    from: 'others.pods + mine <= disruptionsAllowed) continue;',
    to: 'others.pods + mine <= disruptionsAllowed + 1) continue;',
  },
  {
    name: 'E9: a pod is evicted whatever its schedule says',
    file: 'src/engine/commands/evictions.ts',
    from: "return timed && reason !== 'Unhealthy' ? podScheduleRefusals(timed, now) : [];",
    to: "return timed && reason !== 'Unhealthy' ? podScheduleRefusals(timed, now).slice(0, 0) : [];",
  },
  {
    name: 'E4: a pod that may not be moved now holds no node',
    file: 'src/engine/gates/podRules.ts',
    from: "if (wish.reason !== 'Unhealthy') refusals.push(...podScheduleRefusals(pod, now));",
    to: '',
  },
  {
    name: 'G1: the first pod is evicted before the replacement is ready',
    file: 'src/engine/commands/replacing.ts',
    from: "if (arrivals.every(({ is }) => is === 'ready'))",
    to: "if (arrivals.every(({ is }) => is === 'ready' || is === 'starting'))",
  },
  {
    name: 'G2: Lull acts before it has committed',
    file: 'src/runtime/controller.ts',
    from: 'const committed = yield* commit({ view, ledger, round, actions });',
    to: 'for (const action of actions) yield action;\n    const committed = yield* commit({ view, ledger, round, actions });',
  },
  {
    name: 'G2: a crash window: the replacement is made anew under another name after a restart',
    file: 'src/engine/commands/replacementClaim.ts',
    from: 'name: replacement.name,\n      labels',
    to: 'name: replacement.name + situation.now,\n      labels',
  },
  {
    name: 'G2: a crash window: the first eviction is not remembered',
    file: 'src/engine/commands/draining.ts',
    from: 'command: asks && command.evictedAt === undefined ? { ...command, evictedAt: now } : command,',
    to: 'command,',
  },
  {
    name: 'K3: a view that is older than the ledger decides',
    file: 'src/runtime/controller.ts',
    from: 'const missing = [...view.unsynced,',
    to: 'const missing = [...view.unsynced].slice(0, 0) ?? [',
  },
  {
    name: 'G4: a replacement that never comes is waited for without end',
    file: 'src/engine/commands/replacing.ts',
    from: 'const failure = whyFailed(arrivals) ?? (now < timesOut ? undefined : tooLate(command, context));',
    to: 'const failure = undefined as string | undefined;',
  },
  {
    name: 'G4: what came up is left behind when a command is rolled back',
    file: 'src/engine/commands/released.ts',
    from: '...command.replacements.flatMap((it) => taken(it, command.id, situation)),',
    to: '',
  },
  {
    name: 'G4: the taint stays when a command is rolled back',
    file: 'src/engine/commands/released.ts',
    from: '...(view && markOf(view.node) ? [removeTaint(view.node, command)] : []),',
    to: '',
  },
  {
    name: 'D6: a window that closes rolls nothing back',
    file: 'src/engine/commands/secondLook.ts',
    from: 'if (against !== undefined) return against;',
    to: '',
  },
  {
    name: 'G6: all tiers are drained at once',
    file: 'src/engine/commands/evictions.ts',
    from: 'if (tierOf(pod) !== tier) continue;',
    to: '',
  },
  {
    name: 'G7: a drain that stands still is never released',
    file: 'src/engine/commands/draining.ts',
    from: 'if (stuckAt !== undefined && now >= stuckAt',
    to: 'if (stuckAt !== undefined && now < 0',
  },
  {
    name: 'H2: pods are forced as soon as the drain begins',
    file: 'src/engine/commands/forced.ts',
    from: 'asInstant(Math.max(drainAt, deadline - graceSeconds * second));',
    to: 'drainAt;',
  },
  {
    name: 'H3: pods of one PDB are forced all at once',
    file: 'src/engine/commands/forced.ts',
    from: 'next = Math.min(pod.deadline - pod.graceSeconds * second, next - spacing);',
    to: 'next = Math.min(pod.deadline - pod.graceSeconds * second, next);',
  },
];
