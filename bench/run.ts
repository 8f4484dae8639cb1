// npm run bench -- [engine|cron|sim]…: prints the tables that bench/RESULTS.md holds.
import { cpus } from 'node:os';
import { benchCron } from './cron.ts';
import { benchEngine } from './engine.ts';
import { benchSim } from './sim.ts';

const benches: Record<string, () => string> = { engine: benchEngine, cron: benchCron, sim: benchSim };
const chosen = process.argv.slice(2).filter((name) => name in benches);

console.log(`${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}\n`);
for (const name of chosen.length > 0 ? chosen : Object.keys(benches)) console.log(`${name}\n\n${benches[name]?.()}\n`);
