// What is expected of pods: that they are moved only at their hours, or not at all.
import type { Reader } from '../../../kinds/reader.ts';
import type { Instant } from '../../../time/instant.ts';
import { instantAsText, type StoryEvent } from '../../story/event.ts';
import { needText, readMoment, refuseUnknown } from '../known.ts';
import { breaches, type ExpectationRow } from './row.ts';

/** Pods by namespace and the beginning of their names, as one would pick them with the eye. */
interface Pods {
  readonly namespace: string;
  readonly name: string;
}

const readPods = (what: Reader): Pods => ({
  namespace: needText(what, 'namespace', 'shop'),
  name: what.text('name') ?? '',
});

const isMeant = ({ kind, pod = '' }: StoryEvent, { namespace, name }: Pods): boolean =>
  (kind === 'PodEvicted' || kind === 'PodDeleted') && pod.startsWith(`${namespace}/${name}`);

export const noEviction: ExpectationRow = {
  name: 'noEviction',
  means: 'Lull never evicts nor deletes a pod of that namespace whose name begins so.',
  example: '{ noEviction: { namespace: ml, name: train- } }',
  read: (what) => {
    refuseUnknown(what, ['namespace', 'name']);
    const pods = readPods(what);
    const text = `Pods ${pods.namespace}/${pods.name}… are never evicted.`;
    return {
      text,
      watch: ({ onEvent }) => {
        const breached = breaches();
        onEvent((it) => {
          if (isMeant(it, pods)) breached.add(`${text} But at ${instantAsText(it.at)}: ${it.text}`);
        });
        return breached.judge;
      },
    };
  },
};

interface Stretch {
  readonly from: Instant;
  readonly to: Instant;
}

export const movedOnlyIn: ExpectationRow = {
  name: 'movedOnlyIn',
  means: 'Such pods are evicted only between these times, given plainly: from in, to out.',
  example: '{ movedOnlyIn: { namespace: ml, name: train-, windows: [{ from: 14h, to: 18h }] } }',
  read: (what, { from }) => {
    refuseUnknown(what, ['namespace', 'name', 'windows']);
    const pods = readPods(what);
    const windows = what.maps('windows').map((window) => readStretch(window, from));
    const text = `Pods ${pods.namespace}/${pods.name}… are moved only in their ${windows.length} windows.`;
    return {
      text,
      watch: ({ onEvent }) => {
        const breached = breaches();
        onEvent((it) => {
          if (isMeant(it, pods) && !windows.some((window) => window.from <= it.at && it.at < window.to))
            breached.add(`${text} But at ${instantAsText(it.at)}: ${it.text}`);
        });
        return breached.judge;
      },
    };
  },
};

function readStretch(window: Reader, start: Instant): Stretch {
  refuseUnknown(window, ['from', 'to']);
  for (const key of ['from', 'to'])
    if (!window.has(key)) window.fault(key, `There is no ${key}. Give a time, such as 14h.`);
  return { from: readMoment(window, 'from', start) ?? start, to: readMoment(window, 'to', start) ?? start };
}
