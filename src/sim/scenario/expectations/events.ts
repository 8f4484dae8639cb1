// What is expected of the story itself: events that come, or never come, and where a roll stands still.
import type { Reader } from '../../../kinds/reader.ts';
import type { Instant } from '../../../time/instant.ts';
import { eventKinds, instantAsText, type StoryEvent } from '../../story/event.ts';
import { needName, needText, readMoment, refuseUnknown, theOnly } from '../known.ts';
import { leftovers } from '../leftovers.ts';
import { breaches, broken, came, type ExpectationRow, missing } from './row.ts';

export const released: ExpectationRow = {
  name: 'released',
  means: 'The node is chosen and let go again at least once.',
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
        return () => (isReleased ? came : missing(`${name} is released. But it never is.`));
      },
    };
  },
};

export const halted: ExpectationRow = {
  name: 'halted',
  means: 'The roll stands still in that domain: some of it goes, and nothing of another domain ever does.',
  example: '{ halted: { pool: web, domain: a } }',
  read: (what, { pools }) => {
    refuseUnknown(what, ['pool', 'domain']);
    const name = needName(what, 'pool', pools);
    const halt = needText(what, 'domain', 'a');
    const text = `The roll of pool ${name} stands still in ${halt}.`;
    return {
      text,
      watch: ({ onEvent }) => {
        const breached = breaches();
        let hasBegun = false;
        onEvent(({ at, kind, pool, domain, reason, node }) => {
          if (kind !== 'NodeChosen' || pool !== name || reason !== 'Drifted') return;
          if (domain === halt) hasBegun = true;
          else breached.add(`${text} But at ${instantAsText(at)} ${node} of ${domain} is chosen.`);
        });
        return () => ({
          broken: breached.judge().broken,
          missing: hasBegun ? [] : [`${text} But nothing of it was ever chosen.`],
        });
      },
    };
  },
};

export const atRest: ExpectationRow = {
  name: 'atRest',
  means: 'In the end nothing is left over: no command, no taint of Lull’s, no replacement without a node.',
  example: '{ atRest: true }',
  read: (entry) => {
    if (entry.raw('atRest') !== true) entry.wrong('atRest', 'expectation', 'Use true, or leave it out.');
    const text = 'In the end nothing is left over.';
    return {
      text,
      watch:
        ({ objects }) =>
        () => ({ broken: [], missing: leftovers(objects).map((what) => `${text} But ${what}.`) }),
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
    'So many events of a kind are told (count, atLeast, atMost, none: true), within these times and with these fields.',
  example: '{ event: { kind: NodeGone, pool: web, count: 9, before: 5h } }',
  read: (what, { from }) => {
    refuseUnknown(what, ['kind', ...amounts, ...filtered, 'after', 'before']);
    const filter = readFilter(what, from);
    const amount = theOnly(what, amounts, 'a number of events') as (typeof amounts)[number] | undefined;
    const number = amount === undefined || amount === 'none' ? 0 : (what.whole(amount, 0, most) ?? 0);
    const words = { count: `${number}`, atLeast: `at least ${number}`, atMost: `at most ${number}`, none: 'no' };
    const text = `There is ${words[amount ?? 'none']} ${filter.kind}${inWords(filter)}.`;
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
          if (holds(found)) return came;
          const sentence = `${text} But there ${found === 1 ? 'is' : 'are'} ${found}.`;
          // More may still come, unless their time is over.
          const mayCome = found < number && (filter.before === undefined || clock.now < filter.before);
          return mayCome ? missing(sentence) : broken(sentence);
        };
      },
    };
  },
};

function readFilter(what: Reader, from: Instant): Filter {
  if (!what.has('kind')) what.fault('kind', 'There is no kind. Give one, such as NodeGone.');
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

const inWords = ({ texts, after, before }: Filter): string =>
  [
    ...texts.map(([field, text]) => ` of ${field} ${text}`),
    ...(after === undefined ? [] : [` from ${instantAsText(after)} on`]),
    ...(before === undefined ? [] : [` before ${instantAsText(before)}`]),
  ].join('');
