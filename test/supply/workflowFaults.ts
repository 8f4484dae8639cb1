// What a workflow may not do: actions by tag, rights it does not need, input of strangers in a shell, secrets in arguments.
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly uses?: string;
  readonly 'runs-on'?: string;
  readonly 'timeout-minutes'?: number;
  readonly permissions?: Permissions;
  readonly environment?: string;
  readonly steps?: readonly Step[];
}

type Permissions = string | Readonly<Record<string, string>>;

interface Workflow {
  readonly on: string | readonly string[] | Readonly<Record<string, unknown>>;
  readonly permissions?: Permissions;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** Events that run with the repository's permissions on untrusted input. */
const dangerous = ['pull_request_target', 'workflow_run', 'issue_comment', 'issues', 'discussion', 'fork'];

const isDefault = (permissions: Permissions | undefined): boolean =>
  JSON.stringify(permissions) === '{"contents":"read"}';

export function faultsIn(text: string): readonly string[] {
  const { on, permissions, jobs } = parse(text) as Workflow;
  const events = typeof on === 'string' ? [on] : Array.isArray(on) ? on : Object.keys(on);
  return [
    ...events.filter((event) => dangerous.includes(event)).map((event) => `runs on ${event}`),
    ...(isDefault(permissions) ? [] : ['its permissions are not `contents: read`']),
    ...actionFaults(text),
    ...Object.entries(jobs).flatMap(([name, job]) => jobFaults(job).map((fault) => `${name}: ${fault}`)),
  ];
}

/** Read from the text: the version is in a comment. */
const actionFaults = (text: string): readonly string[] =>
  text.split('\n').flatMap((line) => {
    const [, action = ''] = /^\s*(?:- )?uses:\s*(.*)$/.exec(line) ?? [];
    if (action === '' || /^\.\/\.github\/workflows\/[\w-]+\.yml$/.test(action)) return [];
    return /^[\w.-]+(\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action)
      ? []
      : [`${action} is not pinned: write OWNER/NAME@COMMIT # vX.Y.Z`];
  });

function jobFaults(job: Job): readonly string[] {
  const steps = job.steps ?? [];
  const isCalled = job.uses !== undefined;
  return [
    ...(typeof job.permissions === 'string' ? [`permissions: ${job.permissions} grants more than it names`] : []),
    ...(isCalled || /^ubuntu-\d+\.\d+$/.test(job['runs-on'] ?? '') ? [] : ['runs-on does not name a version']),
    ...(isCalled || job['timeout-minutes'] ? [] : ['has no timeout-minutes']),
    ...steps.flatMap((step) => [...checkoutFaults(step), ...runFaults(step)]),
  ];
}

const checkoutFaults = ({ uses = '', with: inputs = {} }: Step): readonly string[] =>
  uses.startsWith('actions/checkout@') && inputs['persist-credentials'] !== false
    ? ['checkout leaves the token in .git: write persist-credentials: false']
    : [];

function runFaults({ run = '', env = {} }: Step): readonly string[] {
  const secrets = Object.keys(env).filter((name) => /\b(secrets\.|github\.token)/.test(String(env[name])));
  const faults: string[] = [];
  for (const line of run.split('\n')) {
    if (line.includes('${{')) faults.push(`an expression in a shell: pass it by env: ${line.trim()}`);
    if (/--password[ =]|_authToken|\blogin\b.*\s-p\s|--token[ =]/.test(line))
      faults.push(`a secret in an argument: ${line.trim()}`);
    const used = secrets.filter((name) => new RegExp(`\\$\\{?${name}\\b`).test(line));
    // printf is a shell builtin: its arguments are not those of a process.
    if (used.length > 0 && !/^\s*printf '%s' "\$\w+" \| [^|]*--password-stdin\s*$/.test(line))
      faults.push(`a secret in an argument: ${line.trim()}`);
    if (/\bnpm (install|i)\b/.test(line)) faults.push(`npm ci, not: ${line.trim()}`);
    if (/\bcurl\b|\bwget\b/.test(line)) faults.push(`fetches what no hash is known of: ${line.trim()}`);
  }
  return faults;
}

/** `job: scope` for every write permission. */
export const writesIn = (text: string): readonly string[] => {
  const { permissions, jobs } = parse(text) as Workflow;
  const all = [
    ['', permissions] as const,
    ...Object.entries(jobs).map(([name, job]) => [name, job.permissions] as const),
  ];
  return all.flatMap(([name, granted]) =>
    Object.entries(typeof granted === 'object' ? granted : {})
      .filter(([, level]) => level === 'write')
      .map(([scope]) => `${name}: ${scope}`),
  );
};

/** Jobs that may write, and whether they need an approval first. */
export const unguardedIn = (text: string): readonly string[] => {
  const { jobs } = parse(text) as Workflow;
  return Object.entries(jobs)
    .filter(([name]) => writesIn(text).some((each) => each.startsWith(`${name}: `)))
    .filter(([, { environment }]) => environment !== 'release')
    .map(([name]) => name);
};
