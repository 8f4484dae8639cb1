// Who ends a cluster whose tests have died? This process: whatever happens to the one that started it, its input ends, and then all the rest does.
import { endAll } from './running.ts';

const folder = process.argv[2] ?? '';
// An interrupt at the terminal is for the tests; they go, and the input ends with them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.stdin.resume();
process.stdin.on('error', () => undefined);
await new Promise((resolve) => process.stdin.once('close', resolve));
await endAll(folder);
