// The prober: while Lull leads, runs the checks of all HealthGates on time and writes their results (O3).
//
// A status is written when the result, its message or the gate's state changes, and otherwise just often enough not to look old:
// when it would be older than three intervals by the time the next check can have ended.
import { nextStatus, staleAfter } from '../cluster/gateState.ts';
import type { CheckResult, GateStatus, HealthCheck, HealthGate } from '../cluster/healthGateRecord.ts';
import { writeGateStatus } from '../kinds/read/gateStatus.ts';
import { apiKindOf, objectPath } from '../kube/apiKind.ts';
import { isDone, isNotFound, sayReply } from '../kube/apiReply.ts';
import { applyPatch, reportWithin } from '../kube/apply.ts';
import type { Client } from '../kube/client.ts';
import type { Clock, Timer } from '../runtime/clock.ts';
import { after, asDuration, type Instant } from '../time/instant.ts';
import { checkWithin } from './runCheck.ts';

export interface ProberOptions {
  readonly client: Pick<Client, 'request'>;
  readonly run: (check: HealthCheck, signal: AbortSignal) => Promise<CheckResult>;
  readonly clock: Clock;
  /** The time that is written. */
  readonly wallNow: () => Instant;
  /** From 0 up to but not including 1. */
  readonly chance: () => number;
  readonly mayAct: () => boolean;
  readonly onChecked?: (name: string, result: CheckResult) => void;
  readonly onFault?: (message: string) => void;
}

/** Its own fields of the status: those of the status writer are not touched. */
const proberManager = 'lull-probes';

/** Checks that run at the same time. */
const maxRunning = 8;

/** A check comes up to this share of its interval early, never late. */
const jitter = 0.1;

interface GateSlot {
  gate: HealthGate;
  /** The spec of the check, to see that it changed. */
  asks: string;
  status: GateStatus | undefined;
  written: GateStatus | undefined;
  timer: Timer | undefined;
  isRunning: boolean;
}

export class Prober {
  readonly #options: ProberOptions;
  readonly #slots = new Map<string, GateSlot>();
  readonly #waiting: GateSlot[] = [];
  readonly #stop = new AbortController();
  #running = 0;

  constructor(options: ProberOptions) {
    this.#options = options;
  }

  /** All gates there are; a new one, or one whose spec changed, is checked at once. */
  want(gates: readonly HealthGate[]): void {
    const names = new Set(gates.map(({ name }) => name));
    for (const [name, slot] of this.#slots) {
      if (names.has(name)) continue;
      slot.timer?.cancel();
      this.#slots.delete(name);
    }
    for (const gate of gates) this.#follow(gate);
  }

  close(): void {
    this.#stop.abort();
    this.want([]);
  }

  #follow(gate: HealthGate): void {
    const { status, ...spec } = gate;
    const asks = JSON.stringify([spec.check, spec.interval, spec.failAfter, spec.recoverAfter]);
    const known = this.#slots.get(gate.name);
    const slot: GateSlot = known ?? { gate, asks, status, written: status, timer: undefined, isRunning: false };
    slot.gate = gate;
    // A person may have removed the status: it is written again.
    if (known && status === undefined) slot.written = undefined;
    if (known?.asks === asks) return;
    slot.asks = asks;
    this.#slots.set(gate.name, slot);
    slot.timer?.cancel();
    this.#start(slot);
  }

  #start(slot: GateSlot): void {
    if (slot.isRunning || this.#stop.signal.aborted) return;
    if (this.#running >= maxRunning) {
      if (!this.#waiting.includes(slot)) this.#waiting.push(slot);
      return;
    }
    slot.isRunning = true;
    this.#running++;
    void this.#check(slot).finally(() => {
      slot.isRunning = false;
      this.#running--;
      if (this.#slots.get(slot.gate.name) === slot) this.#again(slot);
      const next = this.#waiting.shift();
      if (next) this.#start(next);
    });
  }

  #again(slot: GateSlot): void {
    const { clock, chance } = this.#options;
    const wait = asDuration(slot.gate.interval * (1 - jitter * chance()));
    slot.timer?.cancel();
    slot.timer = clock.in(wait, () => this.#start(slot));
  }

  async #check(slot: GateSlot): Promise<void> {
    const { run, wallNow, mayAct, onChecked } = this.#options;
    const { check, fault, name } = slot.gate;
    if (!check || fault || !mayAct()) return;
    const { asks } = slot;
    const result = await run(check, this.#stop.signal);
    // The spec changed meanwhile, or this Lull no longer leads: the result belongs to nothing.
    if (slot.asks !== asks || this.#stop.signal.aborted || !mayAct()) return;
    onChecked?.(name, result);
    const { status } = slot;
    slot.status = nextStatus({ ...slot.gate, ...(status && { status }) }, result, wallNow());
    if (this.#isDue(slot, slot.status)) await this.#write(slot, slot.status);
  }

  #isDue({ gate, written }: GateSlot, status: GateStatus): boolean {
    if (!written || said(written) !== said(status)) return true;
    const nextEnds = after(after(status.checkedAt, gate.interval), checkWithin);
    return nextEnds >= after(written.checkedAt, staleAfter(gate));
  }

  async #write(slot: GateSlot, status: GateStatus): Promise<void> {
    const { client, onFault } = this.#options;
    const { name } = slot.gate;
    const kind = apiKindOf('HealthGate');
    const reply = await client.request({
      method: 'PATCH',
      path: `${objectPath(kind, name)}/status`,
      query: { fieldManager: proberManager, force: 'true' },
      body: { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name }, status: writeGateStatus(status) },
      contentType: applyPatch,
      timeout: reportWithin,
    });
    if (isDone(reply)) slot.written = status;
    else if (!isNotFound(reply)) onFault?.(`status of HealthGate ${name}: ${sayReply(reply)}`);
  }
}

const said = ({ health, message, since, closedSince }: GateStatus): string =>
  JSON.stringify([health, message, since, closedSince]);
