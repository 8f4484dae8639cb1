// What can go wrong with Lull itself and its way to the API server: silence, lost answers, late watches, crashes.
import type { Reader } from '../../../kinds/reader.ts';
import { formatDuration } from '../../../time/duration.ts';
import { asDuration, second } from '../../../time/instant.ts';
import { watchedKinds } from '../../mirror.ts';
import type { PortFaults } from '../../simPort.ts';
import { needDuration } from '../known.ts';
import type { Fault, FaultRow } from './faultRow.ts';

/** Changes the wires of all controllers, or of one, while it lasts. */
function onWires(what: Reader, words: Pick<Fault, 'begins' | 'ends'>, change: Change): Fault {
  const name = what.text('controller');
  const whose = name === undefined ? '' : ` for ${name}`;
  return {
    begins: `${words.begins}${whose}`,
    ends: `${words.ends}${whose}`,
    begin: ({ controllers }, length) => {
      controllers.wires(name).forEach(change.begin);
      controllers.disturbed(length);
    },
    end: ({ controllers }) => controllers.wires(name).forEach(change.end),
  };
}

interface Change {
  readonly begin: (wire: PortFaults) => void;
  readonly end: (wire: PortFaults) => void;
}

const api: FaultRow = {
  name: 'api',
  means: 'Nobody answers at the API server; watches stand still.',
  example: '{ api: away, for: 10m }',
  with: ['controller'],
  read: (what) => {
    what.oneOf('api', ['away']);
    const words = { begins: 'The API server is away', ends: 'The API server is back' };
    return onWires(what, words, {
      begin: (wire) => {
        wire.away = true;
      },
      end: (wire) => {
        wire.away = false;
      },
    });
  },
};

const answers: FaultRow = {
  name: 'answers',
  means: 'Requests are carried out, but their answers are lost.',
  example: '{ answers: lost, for: 2m }',
  with: ['controller'],
  read: (what) => {
    what.oneOf('answers', ['lost']);
    const words = { begins: 'Answers of the API server are lost', ends: 'Answers arrive again' };
    return onWires(what, words, {
      begin: (wire) => {
        wire.lossy = true;
      },
      end: (wire) => {
        wire.lossy = false;
      },
    });
  },
};

const watch: FaultRow = {
  name: 'watch',
  means: 'Watches are late by so much; of these kinds, or of all.',
  example: '{ watch: late, by: 30s, kinds: [Node], for: 20m }',
  with: ['by', 'kinds', 'controller'],
  read: (what) => {
    what.oneOf('watch', ['late']);
    const by = needDuration(what, 'by') ?? second;
    const kinds = what.has('kinds') ? what.texts('kinds') : watchedKinds;
    const of = what.has('kinds') ? ` of ${kinds.join(', ')}` : '';
    const words = { begins: `Watches${of} are late by ${formatDuration(by)}`, ends: `Watches${of} are on time again` };
    return onWires(what, words, {
      begin: (wire) => {
        for (const kind of kinds) wire.lag[kind] = [by / 2, by];
      },
      end: (wire) => {
        for (const kind of kinds) delete wire.lag[kind];
      },
    });
  },
};

const usualDowntime = asDuration(5 * second);

const crash: FaultRow = {
  name: 'crash',
  means: 'The controller dies where it stands and comes back after a while (5s) with nothing but the cluster’s memory.',
  example: '{ crash: lull-1, for: 30s }',
  with: [],
  read: (what) => {
    const name = what.text('crash') ?? 'lull-1';
    return {
      begin: ({ controllers }, length) => controllers.crash(name, length ?? usualDowntime),
    };
  },
};

export const controllerFaults: readonly FaultRow[] = [api, answers, watch, crash];
