// Expectations about events and pods.
import type { Reader } from '../../kinds/read/reader.ts';
import type { Instant } from '../../time/instant.ts';
import { eventKinds, instantAsText, type StoryEvent } from '../story/storyEvent.ts';
import type { ReadContext } from './faults.ts';
import { residue } from './initialCluster.ts';
import type { Expectation, ExpectationCheck, ExpectationResult, Observed } from './scenario.ts';
import { needName, needText, readMoment, refuseUnknown, theOnly } from './shapes.ts';

export interface ExpectationRow {
  readonly name: string;
  readonly means: string;
  readonly example: string;
  readonly read: (what: Reader, context: ReadContext) => Expectation;
}

/** How many breaches of one expectation are reported. */
const mostReported = 5;

/** Collects breaches; beyond the first few, only their number. */
function collectBreaches(): { add(sentence: string): void; check: ExpectationCheck } {
  const reported: string[] = [];
  let more = 0;
  return {
    add: (sentence) => {
      if (reported.length < mostReported) reported.push(sentence);
      else more++;
    },
    check: () => ({ broken: more === 0 ? reported : [...reported, `… and ${more} more times.`], missing: [] }),
  };
}

type ReportBreach = (but: string) => void;

/** An expectation that is broken whenever `watch` reports a breach. */
export const never = (text: string, watch: (observed: Observed, breach: ReportBreach) => void): Expectation => ({
  text,
  watch: (observed) => {
    const breaches = collectBreaches();
    watch(observed, (but) => breaches.add(`${text} But ${but}`));
    return breaches.check;
  },
});

export const met: ExpectationResult = { broken: [], missing: [] };
export const missing = (sentence: string): ExpectationResult => ({ broken: [], missing: [sentence] });
export const broken = (sentence: string): ExpectationResult => ({ broken: [sentence], missing: [] });

export const released: ExpectationRow = {
  name: 'released',
  means: 'The node is chosen and released again at least once.',
  example: '{ released: { node: web-3 } }',
  read: (what) => {
    refuseUnknown(what, ['node']);
    const name = needText(what, 'node', 'web-3');
    return {
      text: `${name} is released.`,
      watch: ({ onEvent }) => {
        let isReleased = false;
        onEvent(({ kind, node }) => {
          isReleased ||= kind === 'NodeReleased' && node === name;
        });
        return () => (isReleased ? met : missing(`${name} is released. But it never was.`));
      },
    };
  },
};

export const halted: ExpectationRow = {
  name: 'halted',
  means: 'The roll stops in that domain: at least one of its nodes is chosen, and no node of another domain.',
  example: '{ halted: { pool: web, domain: a } }',
  read: (what, { pools }) => {
    refuseUnknown(what, ['pool', 'domain']);
    const name = needName(what, 'pool', pools);
    const halt = needText(what, 'domain', 'a');
    const text = `The roll of pool ${name} stops in ${halt}.`;
    return {
      text,
      watch: ({ onEvent }) => {
        const breaches = collectBreaches();
        let hasStarted = false;
        onEvent(({ at, kind, pool, domain, reason, node }) => {
          if (kind !== 'NodeChosen' || pool !== name || reason !== 'Drifted') return;
          if (domain === halt) hasStarted = true;
          else breaches.add(`${text} But at ${instantAsText(at)} ${node} of ${domain} was chosen.`);
        });
        return () => ({
          broken: breaches.check().broken,
          missing: hasStarted ? [] : [`${text} But none of its nodes was ever chosen.`],
        });
      },
    };
  },
};

export const atRest: ExpectationRow = {
  name: 'atRest',
  means: 'Nothing is left over at the end: no command, no taint of Lull’s, no replacement without a node.',
  example: '{ atRest: true }',
  read: (entry) => {
    if (entry.raw('atRest') !== true) entry.wrong('atRest', 'expectation', 'Use true, or leave it out.');
    const text = 'Nothing is left over at the end.';
    return {
      text,
      watch:
        ({ objects }) =>
        () => ({ broken: [], missing: residue(objects).map((what) => `${text} But ${what}.`) }),
    };
  },
};

interface Filter {
  readonly kind: string;
  readonly texts: readonly (readonly [Filtered, string])[];
  readonly after: Instant | undefined;
  readonly before: Instant | undefined;
}

const filtered = ['node', 'pool', 'domain', 'reason', 'workload', 'window'] as const;
type Filtered = (typeof filtered)[number];
const amounts = ['count', 'atLeast', 'atMost', 'none'] as const;
const most = 1_000_000;

export const event: ExpectationRow = {
  name: 'event',
  means:
    'The story has this number of events of a kind (count, atLeast, atMost, or none: true), between these times and with these fields.',
  example: '{ event: { kind: NodeGone, pool: web, count: 9, before: 5h } }',
  read: (what, { from }) => {
    refuseUnknown(what, ['kind', ...amounts, ...filtered, 'after', 'before']);
    const filter = readFilter(what, from);
    const amount = theOnly(what, amounts, 'a number of events') as (typeof amounts)[number] | undefined;
    const number = amount === undefined || amount === 'none' ? 0 : (what.whole(amount, 0, most) ?? 0);
    const words = { count: `${number}`, atLeast: `at least ${number}`, atMost: `at most ${number}`, none: 'no' };
    const text = `Expected ${words[amount ?? 'none']} ${filter.kind}${describeFilter(filter)}.`;
    const holds = (found: number): boolean =>
      amount === 'atLeast' ? found >= number : amount === 'atMost' ? found <= number : found === number;
    return {
      text,
      watch: ({ onEvent, clock }) => {
        let found = 0;
        onEvent((it) => {
          if (matches(it, filter)) found++;
        });
        return () => {
          if (holds(found)) return met;
          const sentence = `${text} But there ${found === 1 ? 'was' : 'were'} ${found}.`;
          // More may follow until `before`.
          const mayCome = found < number && (filter.before === undefined || clock.now < filter.before);
          return mayCome ? missing(sentence) : broken(sentence);
        };
      },
    };
  },
};

function readFilter(what: Reader, from: Instant): Filter {
  if (!what.has('kind')) what.fault('kind', 'kind is missing. Give one, such as NodeGone.');
  return {
    kind: what.oneOf('kind', eventKinds) ?? '',
    texts: filtered.flatMap((field) => {
      const text = what.text(field);
      return text === undefined ? [] : [[field, text] as const];
    }),
    after: readMoment(what, 'after', from),
    before: readMoment(what, 'before', from),
  };
}

const matches = (event: StoryEvent, { kind, texts, after, before }: Filter): boolean =>
  event.kind === kind &&
  texts.every(([field, text]) => event[field] === text) &&
  (after === undefined || event.at >= after) &&
  (before === undefined || event.at < before);

const describeFilter = ({ texts, after, before }: Filter): string =>
  [
    ...texts.map(([field, text]) => ` of ${field} ${text}`),
    ...(after === undefined ? [] : [` from ${instantAsText(after)} on`]),
    ...(before === undefined ? [] : [` before ${instantAsText(before)}`]),
  ].join('');

/** Selects pods by namespace and name prefix. */
interface PodPrefix {
  readonly namespace: string;
  readonly name: string;
}

const readPods = (what: Reader): PodPrefix => ({
  namespace: needText(what, 'namespace', 'shop'),
  name: what.text('name') ?? '',
});

const isMatch = ({ kind, pod = '' }: StoryEvent, { namespace, name }: PodPrefix): boolean =>
  (kind === 'PodEvicted' || kind === 'PodDeleted') && pod.startsWith(`${namespace}/${name}`);

export const noEviction: ExpectationRow = {
  name: 'noEviction',
  means: 'Lull never evicts or deletes a pod of that namespace whose name starts with this prefix.',
  example: '{ noEviction: { namespace: ml, name: train- } }',
  read: (what) => {
    refuseUnknown(what, ['namespace', 'name']);
    const pods = readPods(what);
    const text = `Pods ${pods.namespace}/${pods.name}… are never evicted.`;
    return never(text, ({ onEvent }, breach) =>
      onEvent((it) => {
        if (isMatch(it, pods)) breach(`at ${instantAsText(it.at)}: ${it.text}`);
      }),
    );
  },
};

interface TimeRange {
  readonly from: Instant;
  readonly to: Instant;
}

export const movedOnlyIn: ExpectationRow = {
  name: 'movedOnlyIn',
  means: 'Such pods are moved only within these times: from is included, to is not.',
  example: '{ movedOnlyIn: { namespace: ml, name: train-, windows: [{ from: 14h, to: 18h }] } }',
  read: (what, { from }) => {
    refuseUnknown(what, ['namespace', 'name', 'windows']);
    const pods = readPods(what);
    const windows = what.maps('windows').map((window) => readTimeRange(window, from));
    const text = `Pods ${pods.namespace}/${pods.name}… are moved only in their ${windows.length} windows.`;
    return never(text, ({ onEvent }, breach) =>
      onEvent((it) => {
        if (isMatch(it, pods) && !windows.some((window) => window.from <= it.at && it.at < window.to))
          breach(`at ${instantAsText(it.at)}: ${it.text}`);
      }),
    );
  },
};

function readTimeRange(window: Reader, start: Instant): TimeRange {
  refuseUnknown(window, ['from', 'to']);
  for (const key of ['from', 'to'])
    if (!window.has(key)) window.fault(key, `${key} is missing. Give a time, such as 14h.`);
  return { from: readMoment(window, 'from', start) ?? start, to: readMoment(window, 'to', start) ?? start };
}
