// The checks that ask a URL: a Prometheus query, alerts of Prometheus or Alertmanager, and a plain GET (O1).
import type { AlertsCheck, CheckResult, HttpCheck, PrometheusCheck } from '../cluster/healthGateRecord.ts';
import { anchored } from '../kinds/read/healthCheck.ts';
import { isMap, type Json, listIn, mapIn } from '../kinds/read/reader.ts';
import type { UrlAnswer } from './fetchUrl.ts';

/** Asks a URL with the credentials of the check. */
export type AskUrl = (url: string, accepts?: readonly number[]) => Promise<UrlAnswer>;

/** How many series or alerts a message names. */
const named = 3;

export async function checkPrometheus({ url, query }: PrometheusCheck, ask: AskUrl): Promise<CheckResult> {
  const answer = await ask(`${baseOf(url)}/api/v1/query?query=${encodeURIComponent(query)}`);
  const body = parse(answer);
  if (!isMap(body) || body.status !== 'success') return unknown(describeFailure(answer, body));
  const data = mapIn(body.data);
  if (data.resultType !== 'vector')
    return unknown(`the query returns a ${String(data.resultType)}, not series: compare it, such as x > 1`);
  const series = listIn(data, 'result');
  return verdict(
    series.map((it) => `${labelsOf(mapIn(it.metric))} ${sampleOf(it)}`),
    'series',
  );
}

/** Alertmanager answers v2 with a list; Prometheus does not know it. Silenced and inhibited alerts do not count. */
export async function checkAlerts(check: AlertsCheck, ask: AskUrl): Promise<CheckResult> {
  const v2 = await ask(`${baseOf(check.url)}/api/v2/alerts?active=true&silenced=false&inhibited=false`);
  const list = v2.code === 200 ? parse(v2) : undefined;
  if (Array.isArray(list)) return firing(list.filter(isMap), check);
  const v1 = await ask(`${baseOf(check.url)}/api/v1/alerts`);
  const body = parse(v1);
  if (!isMap(body) || body.status !== 'success') return unknown(describeFailure(v1, body));
  return firing(
    listIn(mapIn(body.data), 'alerts').filter(({ state }) => state === 'firing'),
    check,
  );
}

function firing(alerts: readonly Json[], { match, except }: AlertsCheck): CheckResult {
  const [wanted, unwanted] = [patternsOf(match), patternsOf(except)];
  const mine = alerts
    .map(({ labels }) => mapIn(labels))
    .filter((labels) => wanted.every(([name, pattern]) => pattern.test(String(labels[name] ?? ''))))
    .filter((labels) => !unwanted.some(([name, pattern]) => pattern.test(String(labels[name] ?? ''))));
  return verdict(mine.map(labelsOf), 'firing alert');
}

const patternsOf = (matchers: Readonly<Record<string, string>>): [string, RegExp][] =>
  Object.entries(matchers).map(([name, pattern]) => [name, anchored(pattern)]);

export async function checkHttp({ url, status }: HttpCheck, ask: AskUrl): Promise<CheckResult> {
  const { code } = await ask(url, status);
  return { health: status.includes(code) ? 'Healthy' : 'Unhealthy', message: `it answered ${code}` };
}

const baseOf = (url: string): string => url.replace(/\/+$/, '');

export const unknown = (message: string): CheckResult => ({ health: 'Unknown', message });

function verdict(found: readonly string[], noun: string): CheckResult {
  const plural = noun === 'series' || found.length === 1 ? noun : `${noun}s`;
  if (found.length === 0) return { health: 'Healthy', message: `no ${noun === 'series' ? noun : `${noun}s`}` };
  const more = found.length > named ? ` and ${found.length - named} more` : '';
  return { health: 'Unhealthy', message: `${found.length} ${plural}: ${found.slice(0, named).join(', ')}${more}` };
}

/** `HighErrors{job="web"}` */
function labelsOf(labels: Json): string {
  const { __name__: metric, alertname, ...rest } = labels;
  const name = String(metric ?? alertname ?? '');
  return `${name}{${Object.entries(rest)
    .map(([key, value]) => `${key}="${String(value)}"`)
    .join(', ')}}`;
}

const sampleOf = ({ value }: Json): string => (Array.isArray(value) ? String(value[1]) : '');

function parse({ body }: UrlAnswer): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function describeFailure({ code }: UrlAnswer, body: unknown): string {
  const error = mapIn(body).error;
  return `it answered ${code}${typeof error === 'string' ? `: ${error.slice(0, 300)}` : ', not as Prometheus or Alertmanager does'}`;
}
