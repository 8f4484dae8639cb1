// Options and arguments that several commands share, and the parsers of their values.
import { Argument, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../time/duration.ts';
import { asDuration, type Duration, type Instant, parseInstant, second } from '../../time/instant.ts';
import { thisMachine, usualPort, usualServer } from '../flags.ts';
import { zoneFlag } from '../outputZone.ts';
import type { DeploymentName } from '../release/releasing.ts';
import type { Address } from '../run/listen.ts';

/** `read` is the parser of its value, or its default. */
export function option<Value>(
  flags: string,
  description: string,
  read?: ((word: string, before: Value) => Value) | string,
  preset?: Value,
): Option {
  const made = new Option(flags, description);
  if (typeof read === 'function') made.argParser(read);
  return made.default(typeof read === 'string' ? read : preset);
}

/** For options that may be given several times. */
export const listFlag = (word: string, before: readonly string[] = []): readonly string[] => [...before, word];

export function instantFlag(word: string): Instant {
  const instant = parseInstant(word);
  if (instant === undefined) throw new InvalidArgumentError('Use RFC 3339 such as 2026-11-15T09:00:00Z.');
  return instant;
}

export function wholeFlag(least: number, most: number): (word: string) => number {
  return (word) => {
    const number = /^\d+$/.test(word) ? Number(word) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`);
  };
}

export const seedFlag = wholeFlag(0, Number.MAX_SAFE_INTEGER);

export function durationFlag(word: string): Duration {
  const duration = parseDuration(word);
  if (duration !== undefined && duration > 0) return duration;
  throw new InvalidArgumentError('Use a Go duration such as 6h or 90m.');
}

const shortestStuckAfter = asDuration(10 * second);

export function stuckFlag(word: string): Duration {
  const duration = durationFlag(word);
  if (duration >= shortestStuckAfter) return duration;
  throw new InvalidArgumentError('Use 10s or more.');
}

/** Simulated seconds per second. */
export function speedFlag(word: string): number {
  if (word === 'max') return Number.POSITIVE_INFINITY;
  const factor = Number(word);
  if (factor > 0 && factor < Number.POSITIVE_INFINITY) return factor;
  throw new InvalidArgumentError('Use a number above 0 such as 60, or max.');
}

export function deploymentFlag(word: string): DeploymentName {
  const [namespace, name, ...more] = word.split('/');
  if (!namespace || !name || more.length > 0)
    throw new InvalidArgumentError('Use namespace/name such as lull-system/lull.');
  return { namespace, name };
}

const mostPort = 65_535;

/** `127.0.0.1:7727`, `[::1]:7727`, `:0` */
function listenFlag(word: string): Address {
  const [, host = '', digits = ''] = /^(\[[0-9a-fA-F:]+\]|[^:[\]]*):(\d{1,5})$/.exec(word) ?? [];
  const port = Number(digits);
  if (digits === '' || port > mostPort)
    throw new InvalidArgumentError(`Use HOST:PORT such as ${thisMachine}:${usualPort}; port 0 picks a free one.`);
  return { host: host.replace(/^\[|\]$/g, '') || thisMachine, port };
}

/** Every command with -f also takes files as arguments. */
export const filesArgument = new Argument('[files...]', 'files or folders, or - for stdin; the same as -f');

export const fileOption = option(
  '-f, --file <path>',
  'file or folder with objects as kubectl prints them; - for stdin; repeatable',
  listFlag,
);

export const settingsOption = option('--settings <file>', 'settings in YAML or JSON');
export const settingsInForceOption = option(
  '--settings <file>',
  'settings in YAML or JSON (default: for a cluster, the settings of its Lull)',
);
export const setOption = option('--set <key=value>', 'one setting, overrides --settings; repeatable', listFlag);

export const withOption = option(
  '--with <path>',
  'policy objects that replace those recorded, or are added to them; repeatable',
  listFlag,
);
export const setInsteadOption = option(
  '--set <key=value>',
  'a setting that replaces the recorded one; repeatable',
  listFlag,
);

export const seedOption = option('--seed <number>', 'seed of the random numbers', seedFlag);

/** Without a default: some commands choose the format by their other flags. */
export const formOption = (description = 'output format'): Option =>
  new Option('-o, --output <form>', description).choices(['text', 'json', 'yaml']);

export const outputOption = formOption().default('text');

export const zoneOption = option(
  '--zone <name>',
  'time zone of printed times, such as Europe/Berlin, or local for the zone of this machine (default: UTC); JSON and YAML are always in UTC',
  zoneFlag,
);

export const serverOption = option(
  '--server <url>',
  `ask the Lull at this address (default: the Lull of the cluster, if it listens on ${usualServer()})`,
);

/** Named as in kubectl. */
export const clusterOptions: readonly Option[] = [
  option(
    '--kubeconfig <file>',
    'kubeconfig file (default: KUBECONFIG, ~/.kube/config, or the ServiceAccount of the pod)',
  ),
  option('--context <name>', 'context of the kubeconfig (default: the current context)'),
];

export const listenOptions: readonly Option[] = [
  option(
    '--listen <host:port>',
    `address of the dashboard, the API, /metrics, /healthz and /readyz (default: ${thisMachine}:${usualPort}, or a free port if it is in use); a token is required unless it is a loopback address`,
    listenFlag,
  ),
  option(
    '--token-file <file>',
    'file with the token for reading, pausing, resuming and passing turns (default: LULL_TOKEN_FILE, or the token in LULL_TOKEN)',
  ),
  option(
    '--read-token-file <file>',
    'file with the token for reading only (default: LULL_READ_TOKEN_FILE, or the token in LULL_READ_TOKEN)',
  ),
  option('--tls-cert-file <file>', 'serve HTTPS with this certificate chain in PEM form; reloaded when it changes'),
  option('--tls-key-file <file>', 'private key of the certificate'),
  new Option('--token <value>').hideHelp(),
  new Option('--read-token <value>').hideHelp(),
];

/** For the kubelet. */
export const probesOption = option(
  '--probes <host:port>',
  'address of /healthz and /readyz alone, over plain HTTP and without a token; answers during a round too',
  listenFlag,
);
