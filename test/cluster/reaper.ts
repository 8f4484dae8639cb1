// A process that stops a cluster whose tests have died: when its input ends, it ends all other processes.
import { endAll } from './running.ts';

const folder = process.argv[2] ?? '';
// An interrupt at the terminal is for the tests; when they exit, this process's input ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.stdin.resume();
process.stdin.on('error', () => undefined);
await new Promise((resolve) => process.stdin.once('close', resolve));
await endAll(folder);
