// Error of forecasts: every scenario in which something drifts, forecast when its roll begins and then played on.
import { readdirSync, readFileSync } from 'node:fs';
import { type Forecast, forecastFor, forecastRuns } from '../src/forecast/poolForecasts.ts';
import { type StagedRoll, stage } from '../src/forecast/stagedRoll.ts';
import { readDocuments } from '../src/kinds/text/documents.ts';
import { readScenario } from '../src/sim/scenario/readScenario.ts';
import type { Scenario } from '../src/sim/scenario/scenario.ts';
import { formatInstant, type Instant } from '../src/time/instant.ts';
import { table } from './table.ts';

/** A seed that no run of a forecast uses. */
const seed = 77;
const near = 0.1;
const folder = new URL('../scenarios/', import.meta.url);

interface Row {
  readonly cells: readonly string[];
  readonly isNear: boolean;
}

export function benchForecast(): string {
  const rows = readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) => rowsOf(file));
  const head = ['scenario', 'pool', 'forecast at', 'done, forecast', 'done, really', 'off', 'took'];
  const nearest = rows.filter(({ isNear }) => isNear).length;
  const share = `${nearest} of ${rows.length} within ${100 * near} % of the way from then to the end.`;
  return `${table(
    head,
    rows.map(({ cells }) => cells),
  )}\n\n${share}`;
}

function rowsOf(file: string): Row[] {
  const { scenario } = readScenario(readDocuments(readFileSync(new URL(file, folder), 'utf8'), file).documents);
  // In observe Lull rolls nothing, so there is nothing to compare with.
  const staged = scenario && scenario.settings.role !== 'observe' ? stage(scenario, seed) : undefined;
  return scenario && staged ? compare(scenario, staged) : [];
}

function compare({ name }: Scenario, staged: StagedRoll): Row[] {
  const { snapshot } = staged;
  const nodes = snapshot.objects.filter(({ kind }) => kind === 'Node').length;
  const started = performance.now();
  const forecast = [...forecastRuns(snapshot, forecastFor(nodes))].at(-1) as Forecast;
  const took = performance.now() - started;
  const done = staged.goOn();
  return forecast.pools.map(({ pool, finishes, never }) => {
    const told = finishes?.likely;
    const really = done.get(pool);
    // A forecast of no end is right if the roll does not end.
    const isEndless = told === undefined && never.length > 0;
    const off = told === undefined || really === undefined ? undefined : (told - really) / (really - snapshot.at);
    const cells = [say(told), say(really), off === undefined ? '' : `${(100 * off).toFixed(1)} %`];
    return {
      cells: [name, pool, formatInstant(snapshot.at), ...cells, `${(took / 1000).toFixed(1)} s`],
      isNear: off === undefined ? isEndless && really === undefined : Math.abs(off) <= near,
    };
  });
}

const say = (at: Instant | undefined): string => (at === undefined ? 'no end' : formatInstant(at));
