// Time and allocation: the median of several runs after a warm-up.

export interface Measured {
  readonly medianMs: number;
  readonly bestMs: number;
  readonly allocatedMb: number;
}

export function measure(run: (turn: number) => void, { warmUp = 10, times = 25 } = {}): Measured {
  for (let turn = 0; turn < warmUp; turn++) run(turn);
  const elapsed: number[] = [];
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed;
  run(warmUp);
  const allocatedMb = Math.max(0, process.memoryUsage().heapUsed - heap) / 2 ** 20;
  for (let turn = 0; turn < times; turn++) {
    const start = performance.now();
    run(warmUp + 1 + turn);
    elapsed.push(performance.now() - start);
  }
  elapsed.sort((a, b) => a - b);
  return { medianMs: elapsed[Math.floor(times / 2)] as number, bestMs: elapsed[0] as number, allocatedMb };
}
