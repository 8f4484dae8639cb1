// Ways of breaking Lull that the model tests must notice: each is one small edit, as a tired person would make it.

export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
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
    from: 'if (needs <= domain.limit) return [];',
    to: 'if (needs <= domain.limit + 1) return [];',
  },
  {
    name: 'C6: what this round has started is not counted',
    file: 'src/engine/limits/poolBudgets.ts',
    from: 'consumedFor(reason, this.#tally) + this.#startedFor(reason)',
    to: 'consumedFor(reason, this.#tally) + 0 * this.#startedFor(reason)',
  },
  {
    name: 'C4: commands under way do not count',
    file: 'src/engine/situation.ts',
    from: 'consumed: consumed + still.length + more.filter(({ state }) => state.ready).length,',
    to: 'consumed: consumed + still.length,',
  },
  {
    name: 'C3: a node does not count while its machine is terminating',
    file: 'src/cluster/nodeView.ts',
    from: "state.counted && (!state.ending || endingMachines === 'count')",
    to: 'state.counted && !state.ending',
  },
  {
    name: 'C11: the turn is forgotten',
    file: 'src/engine/limits/turn.ts',
    from: 'return (turn && continueTurn(turn, flights, roll)) ?? nextTurn(turn, flights, roll);',
    to: 'return nextTurn(turn, flights, roll);',
  },
  {
    name: 'C11: NotItsTurn is not reported',
    file: 'src/engine/limits/topologyLimits.ts',
    from: 'if (!turn?.holder) return [];',
    to: 'if (turn || !turn) return [];',
  },
  {
    name: 'C13: settling is skipped',
    file: 'src/engine/limits/settling.ts',
    from: 'if (now >= until) return { wellSince };',
    to: 'if (until) return { wellSince };',
  },
  {
    name: 'C13: the turn passes from an unhealthy domain',
    file: 'src/engine/limits/settling.ts',
    from: 'const unwell = findUnwell(record, asked);',
    to: 'const unwell = findUnwell(record, asked).slice(0, 0);',
  },
  {
    name: 'C13: evicted pods are not expected back',
    file: 'src/engine/limits/settling.ts',
    from: '...missingPods(record, asked.situation),',
    to: '...missingPods(record, asked.situation).slice(0, 0),',
  },
  {
    name: 'P3: a wave takes one node more',
    file: 'src/engine/limits/rolls.ts',
    from: 'if (started < room) return none;',
    to: 'if (started <= room) return none;',
  },
  {
    name: 'P3: the next wave begins with nodes in flight',
    file: 'src/engine/limits/rolls.ts',
    from: 'if (inFlight.length > 0 || !isBegun) return',
    to: 'if (!isBegun) return',
  },
  {
    name: 'P4: nodes that were replaced are forgotten',
    file: 'src/engine/limits/rolls.ts',
    from: 'done: known.done + gone.length }',
    to: 'done: known.done }',
  },
  {
    name: 'P4: a new target continues the current roll',
    file: 'src/engine/limits/rolls.ts',
    from: 'if (!known || isNewTarget(known, asked)) return undefined;',
    to: 'if (!known) return undefined;',
  },
  {
    name: 'P5: a halted roll continues',
    file: 'src/engine/limits/rolls.ts',
    from: 'if (roll.haltedAt !== undefined) return haltRefusals(roll, budget);',
    to: '',
  },
  {
    name: 'P5: failed replacements are not counted',
    file: 'src/engine/commands/nextLedger.ts',
    from: 'const known = failures > 0 ? { ...roll, failures: (roll.failures ?? 0) + failures } : roll;',
    to: 'const known = roll;',
  },
  {
    name: 'P3: patience runs out while a wave settles',
    file: 'src/engine/limits/turn.ts',
    from: 'const patience = roll.waves?.isFull ? undefined : patienceEndsAt(turn, roll);',
    to: 'const patience = patienceEndsAt(turn, roll);',
  },
  {
    name: 'P1: a rate is off by one',
    file: 'src/engine/limits/rate.ts',
    from: 'return this.usedAtStart + this.#chosen >= this.terms.limit;',
    to: 'return this.usedAtStart + this.#chosen > this.terms.limit;',
  },
  {
    name: 'P1: nodes that wait for their replacement do not count towards a rate',
    file: 'src/engine/limits/rate.ts',
    from: 'this.usedAtStart = this.began + terms.count.pending;',
    to: 'this.usedAtStart = this.began;',
  },
  {
    name: 'P1: a node that is gone no longer counts',
    file: 'src/engine/limits/startCounts.ts',
    from: 'minutes: merged(minutes.filter(counts), most),',
    to: 'minutes: merged(minutes.filter(counts), most).slice(-leaving.length - fresh.length),',
  },
  {
    name: 'P1: what this round chooses is not counted',
    file: 'src/engine/limits/poolRates.ts',
    from: 'if (needsUnit(wish)) for (const { rate } of over(wish) ?? []) rate.spend(change);',
    to: '',
  },
  {
    name: 'P7: a node that has just drifted is replaced',
    file: 'src/engine/gates/poolGates.ts',
    from: 'if (situation.now >= liftsAt) return none;\n  const message = `it has been drifted',
    to: 'if (situation.now >= since) return none;\n  const message = `it has been drifted',
  },
  {
    name: 'P7: the driftAfter of budgets is ignored',
    file: 'src/cluster/pool.ts',
    from: 'if (wait !== undefined && (longest === undefined || wait > longest.wait)) longest = { wait, budget };',
    to: '',
  },
  {
    name: 'P7: another template does not restart the clock',
    file: 'src/engine/wishes/driftAge.ts',
    from: 'return last?.print === print ? last : { pool: pool.name, print, since: now };',
    to: 'return last ? { ...last, print } : { pool: pool.name, print, since: now };',
  },
  {
    name: 'Q1: a requested roll replaces its own replacements',
    file: 'src/engine/wishes/drifted.ts',
    from: 'if (request && createdAt(view) < request.at && (!first || request.at < first.at)) first = request;',
    to: 'if (request && (!first || request.at < first.at)) first = request;',
  },
  {
    name: 'Q1: a request in the future is carried out now',
    file: 'src/engine/wishes/drifted.ts',
    from: 'if (moment.now < request.at) return',
    to: 'if (moment.now > request.at + 1e13) return',
  },
  {
    name: 'Q2: an approval never ends',
    file: 'src/engine/gates/windowGates.ts',
    from: 'if (approval && now < approval.at) return none;',
    to: 'if (approval) return none;',
  },
  {
    name: 'Q2: approval is not asked for',
    file: 'src/engine/gates/windowGates.ts',
    from: 'if (rules.length === 0) return none;',
    to: 'if (rules.length >= 0) return none;',
  },
  {
    name: 'D2: maintenance windows are ignored',
    file: 'src/engine/gates/windowGates.ts',
    from: 'if (view.windows.length === 0) return none;',
    to: 'if (view.windows.length >= 0) return none;',
  },
  {
    name: 'O4: health gates are ignored',
    file: 'src/engine/gates/healthGates.ts',
    from: 'const refusal = gate.reasons.has(reason) ? refusalOf(gate, now) : undefined;',
    to: 'const refusal = gate.reasons.has(reason) && now < 0 ? refusalOf(gate, now) : undefined;',
  },
  {
    name: 'O4: a gate opens as soon as its check succeeds again',
    file: 'src/cluster/gateState.ts',
    from: 'if (closedSince === undefined || now >= opensAt)',
    to: 'if (closedSince === undefined || now >= since)',
  },
  {
    name: 'O3: an old status is used',
    file: 'src/cluster/gateState.ts',
    from: 'asDuration(staleIntervals * interval)',
    to: 'asDuration(1000 * staleIntervals * interval)',
  },
  {
    name: 'O4: a gate that closes does not undo commands that wait for replacements',
    file: 'src/engine/commands/step.ts',
    from: "  'WindowFault',\n  'HealthGateClosed',",
    to: "  'WindowFault',",
  },
  {
    name: 'D5: the cap of a window is off by one',
    file: 'src/engine/limits/windowCaps.ts',
    from: 'isFull: () => used >= most,',
    to: 'isFull: () => used > most,',
  },
  {
    name: 'E10: PDBs are ignored when nodes are chosen',
    file: 'src/engine/gates/podGates.ts',
    from: 'return overlapping.length + guarded.length === 0 ? none',
    to: 'return overlapping.length + guarded.length >= 0 ? none',
  },
  {
    name: 'E10: nodes are chosen together that stall on one PDB',
    file: 'src/engine/limits/pdbReservations.ts',
    from: 'others.leaving + others.chosen + mine <= disruptionsAllowed) continue;',
    to: 'others.leaving + others.chosen + mine <= disruptionsAllowed + 1) continue;',
  },
  {
    name: 'E9: a pod is evicted outside its schedule',
    file: 'src/engine/commands/evictions.ts',
    from: "return timed && reason !== 'Unhealthy' ? podScheduleRefusals(timed, now) : [];",
    to: "return timed && reason !== 'Unhealthy' ? podScheduleRefusals(timed, now).slice(0, 0) : [];",
  },
  {
    name: 'E4: a pod that may not be moved now does not hold its node',
    file: 'src/engine/gates/podGates.ts',
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
    name: 'G2: a crash window: after a restart the replacement is created again under another name',
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
    name: 'K3: a view that is older than the ledger is used to decide',
    file: 'src/runtime/controller.ts',
    from: 'if (view.unsynced.length + late.length > 0) {',
    to: 'if (view.unsynced.length > 0) {',
  },
  {
    name: 'G4: waits forever for a replacement that never comes',
    file: 'src/engine/commands/replacing.ts',
    from: 'const failure = whyFailed(arrivals) ?? (now < timesOut ? undefined : tooLate(command, context));',
    to: 'const failure = undefined as string | undefined;',
  },
  {
    name: 'G4: replacements are left behind when a command is rolled back',
    file: 'src/engine/commands/driveSteps.ts',
    from: '...command.replacements.flatMap((it) => takeAway(it, command.id, situation)),',
    to: '',
  },
  {
    name: 'G4: the taint stays when a command is rolled back',
    file: 'src/engine/commands/driveSteps.ts',
    from: '...(view && markOf(view.node) ? [removeTaint(view.node, command)] : []),',
    to: '',
  },
  {
    name: 'D6: a window that closes does not roll anything back',
    file: 'src/engine/commands/step.ts',
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
    name: 'G7: a stuck drain is never released',
    file: 'src/engine/commands/draining.ts',
    from: 'if (stuckAt !== undefined && now >= stuckAt',
    to: 'if (stuckAt !== undefined && now < 0',
  },
  {
    name: 'H2: pods are forced as soon as the drain begins',
    file: 'src/engine/commands/drains.ts',
    from: 'asInstant(Math.max(drainAt, deadline - graceSeconds * second));',
    to: 'drainAt;',
  },
  {
    name: 'H3: pods of one PDB are forced all at once',
    file: 'src/engine/commands/drains.ts',
    from: 'next = Math.min(deadline - graceSeconds * second, next - spacing);',
    to: 'next = Math.min(deadline - graceSeconds * second, next);',
  },
];
