// npm run bench -- [engine|cron|sim|forecast|dashboard|api|consolidate|away|parking|hostile|karpenter|startup]…: prints the tables that bench/RESULTS.md holds. away, parking, karpenter and api need the cluster: npm run cluster:build.
import { cpus } from 'node:os';
import { benchApi } from './api.ts';
import { benchAway } from './away.ts';
import { benchConsolidate } from './consolidate.ts';
import { benchCron } from './cron.ts';
import { benchDashboard } from './dashboard.ts';
import { benchEngine } from './engine.ts';
import { benchForecast } from './forecast.ts';
import { benchHostile } from './hostile.ts';
import { benchKarpenter } from './karpenter.ts';
import { benchParking } from './parking.ts';
import { benchSim } from './sim.ts';
import { benchStartup } from './startup.ts';

const benches: Record<string, () => string | Promise<string>> = {
  engine: benchEngine,
  cron: benchCron,
  sim: benchSim,
  forecast: benchForecast,
  dashboard: benchDashboard,
  api: benchApi,
  consolidate: benchConsolidate,
  away: benchAway,
  parking: benchParking,
  hostile: benchHostile,
  karpenter: benchKarpenter,
  startup: benchStartup,
};
const chosen = process.argv.slice(2).filter((name) => name in benches);

console.log(`${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}\n`);
for (const name of chosen.length > 0 ? chosen : Object.keys(benches))
  console.log(`${name}\n\n${await benches[name]?.()}\n`);
