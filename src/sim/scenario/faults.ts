// The faults a script can inject: in the cloud, in nodes and pods, and between a controller and the API server.
import type { Reader } from '../../kinds/read/reader.ts';
import { formatDuration } from '../../time/duration.ts';
import { asDuration, type Duration, type Instant, second } from '../../time/instant.ts';
import { type PortFaults, watchedKinds } from '../simPort.ts';
import { everything, type FaultKind, type FaultModes } from '../world.ts';
import type { ScriptAction, ScriptContext } from './scenario.ts';
import { needDuration, needName, needText, refuseUnknown, theOnly } from './shapes.ts';

/** What the entries of a scenario may refer to. */
export interface ReadContext {
  readonly from: Instant;
  readonly pools: readonly string[];
}

export interface ActionRow {
  readonly name: string;
  /** The description for the reference. */
  readonly means: string;
  /** An example entry for the reference. */
  readonly example: string;
  /** Errors become findings of the reader; a scenario with errors is never run. */
  readonly read: (what: Reader, context: ReadContext) => ScriptAction['run'];
}

/** One kind of fault. It is undone when its duration ends. */
interface ScriptFaultRow {
  readonly name: string;
  readonly means: string;
  readonly example: string;
  /** Keys besides its own and `for`. */
  readonly with: readonly string[];
  readonly read: (what: Reader, context: ReadContext) => ScriptFault;
}

interface ScriptFault {
  /** The story text at its start; absent if `begin` records its own events. */
  readonly begins?: string;
  readonly ends?: string;
  readonly pool?: string;
  readonly begin: (context: ScriptContext, length: Duration | undefined) => void;
  /** Absent: it ends by itself. */
  readonly end?: (context: ScriptContext) => void;
}

type FaultTexts = Pick<ScriptFault, 'begins' | 'ends'>;

/** A fault that is recorded among the world's conditions while it lasts. */
function worldFault<Kind extends FaultKind>(
  what: Kind,
  name: string,
  how: FaultModes[Kind],
  texts: FaultTexts,
): ScriptFault {
  return {
    ...texts,
    begin: ({ world }) => world.faults.set(what, name, how),
    end: ({ world }) => world.faults.clear(what, name),
  };
}

const launches: ScriptFaultRow = {
  name: 'launches',
  means:
    'Instance launches of the pool hang (never), fail at once (fails), or take a multiple of the usual time (a number). Without pool: of every pool.',
  example: '{ launches: never, pool: web, for: 30m }',
  with: ['pool'],
  read: (what, { pools }) => {
    const pool = readPool(what, pools);
    const value = what.raw('launches');
    const how = isFactor(value) ? value : (what.oneOf('launches', ['never', 'fails']) ?? 'never');
    const effect = typeof how === 'number' ? `take ${how} times as long` : { never: 'hang', fails: 'fail' }[how];
    const of = pool === everything ? '' : ` of pool ${pool}`;
    const fault = worldFault('launches', pool, how, {
      begins: `Instance launches${of} ${effect}`,
      ends: `Instance launches${of} work again`,
    });
    return pool === everything ? fault : { ...fault, pool };
  },
};

const boots: ScriptFaultRow = {
  name: 'boots',
  means: 'New nodes take a multiple of the usual time from launch to Ready.',
  example: '{ boots: 20, pool: web, for: 1h }',
  with: ['pool'],
  read: (what, { pools }) => {
    const pool = readPool(what, pools);
    const value = what.raw('boots');
    if (!isFactor(value)) what.wrong('boots', 'factor', 'Use a number above 0.');
    const of = pool === everything ? '' : ` of pool ${pool}`;
    return worldFault('boots', pool, isFactor(value) ? value : 1, {
      begins: `New nodes${of} take ${value} times as long to become Ready`,
      ends: `New nodes${of} become Ready in the usual time again`,
    });
  },
};

const image: ScriptFaultRow = {
  name: 'image',
  means: 'The image is broken: nodes that run it never become Ready (nodes), or they do and their pods crash (pods).',
  example: '{ image: v2, breaks: pods }',
  with: ['breaks'],
  read: (what) => {
    const name = needText(what, 'image', 'v2');
    const breaks = what.oneOf('breaks', ['nodes', 'pods']) ?? 'nodes';
    const effect = breaks === 'nodes' ? 'nodes that run it never become Ready' : 'pods crash on nodes that run it';
    return worldFault('images', name, breaks, {
      begins: `Image ${name} is broken: ${effect}`,
      ends: `Image ${name} is fixed`,
    });
  },
};

const workload: ScriptFaultRow = {
  name: 'workload',
  means: 'The pods of a workload (namespace/Kind/name) crash, and new ones do not become Ready.',
  example: '{ workload: shop/Deployment/web, for: 10m }',
  with: [],
  read: (what) => {
    const name = needText(what, 'workload', 'shop/Deployment/web');
    return worldFault('workloads', name, 'crash', {
      begins: `The pods of ${name} crash`,
      ends: `The pods of ${name} run again`,
    });
  },
};

const cloudFaults: readonly ScriptFaultRow[] = [launches, boots, image, workload];

const isFactor = (value: unknown): value is number => typeof value === 'number' && value > 0 && value < Infinity;

const readPool = (what: Reader, pools: readonly string[]): string =>
  what.has('pool') ? needName(what, 'pool', pools) : everything;

/** A fault of the connection between the API server and one controller, or all of them. */
function connectionFault(what: Reader, texts: FaultTexts, change: ChangeConnection): ScriptFault {
  const name = what.text('controller');
  const whose = name === undefined ? '' : ` for ${name}`;
  return {
    begins: `${texts.begins}${whose}`,
    ends: `${texts.ends}${whose}`,
    begin: ({ controllers }, length) => {
      for (const connection of controllers.connections(name)) change(connection, true);
      controllers.disturbed(length);
    },
    end: ({ controllers }) => {
      for (const connection of controllers.connections(name)) change(connection, false);
    },
  };
}

type ChangeConnection = (connection: PortFaults, isOn: boolean) => void;

const api: ScriptFaultRow = {
  name: 'api',
  means: 'The API server does not respond, and watches deliver no events.',
  example: '{ api: away, for: 10m }',
  with: ['controller'],
  read: (what) => {
    what.oneOf('api', ['away']);
    const texts = { begins: 'The API server is unreachable', ends: 'The API server is reachable again' };
    return connectionFault(what, texts, (connection, isOn) => {
      connection.away = isOn;
    });
  },
};

const answers: ScriptFaultRow = {
  name: 'answers',
  means: 'Requests are carried out, but their responses are lost.',
  example: '{ answers: lost, for: 2m }',
  with: ['controller'],
  read: (what) => {
    what.oneOf('answers', ['lost']);
    const texts = { begins: 'Responses of the API server are lost', ends: 'Responses arrive again' };
    return connectionFault(what, texts, (connection, isOn) => {
      connection.lossy = isOn;
    });
  },
};

const watch: ScriptFaultRow = {
  name: 'watch',
  means: 'Watch events of the given kinds, or of all kinds, arrive late.',
  example: '{ watch: late, by: 30s, kinds: [Node], for: 20m }',
  with: ['by', 'kinds', 'controller'],
  read: (what) => {
    what.oneOf('watch', ['late']);
    const by = needDuration(what, 'by') ?? second;
    const kinds = what.has('kinds') ? what.texts('kinds') : watchedKinds;
    const of = what.has('kinds') ? ` of ${kinds.join(', ')}` : '';
    const texts = {
      begins: `Watches${of} are up to ${formatDuration(by)} late`,
      ends: `Watches${of} are on time again`,
    };
    return connectionFault(what, texts, (connection, isOn) => {
      for (const kind of kinds)
        if (isOn) connection.lag[kind] = [by / 2, by];
        else delete connection.lag[kind];
    });
  },
};

const usualDowntime = asDuration(5 * second);

const crash: ScriptFaultRow = {
  name: 'crash',
  means: 'The controller crashes and restarts (after 5s by default) with no state but what it reads from the cluster.',
  example: '{ crash: lull-1, for: 30s }',
  with: [],
  read: (what) => {
    const name = what.text('crash') ?? 'lull-1';
    return {
      begin: ({ controllers }, length) => controllers.crash(name, length ?? usualDowntime),
    };
  },
};

const controllerFaults: readonly ScriptFaultRow[] = [api, answers, watch, crash];

export const faults: readonly ScriptFaultRow[] = [...cloudFaults, ...controllerFaults];

export const fault: ActionRow = {
  name: 'fault',
  means: 'Injects a fault, for a duration or for good; see the list of faults.',
  example: '{ at: 4h, fault: { launches: never, pool: web, for: 30m } }',
  read: (what, context) => {
    const name = theOnly(
      what,
      faults.map((row) => row.name),
      'a fault',
    );
    const row = faults.find((it) => it.name === name);
    if (!row) return () => undefined;
    refuseUnknown(what, [row.name, ...row.with, 'for']);
    const length = what.duration('for');
    return runFault(row.read(what, context), length);
  },
};

function runFault(it: ScriptFault, length: Duration | undefined): ScriptAction['run'] {
  return (context) => {
    const pool = it.pool === undefined ? {} : { pool: it.pool };
    const lasts = length === undefined ? '' : ` for ${formatDuration(length)}`;
    it.begin(context, length);
    if (it.begins !== undefined) context.record({ kind: 'Fault', ...pool, text: `${it.begins}${lasts}.` });
    const { end, ends } = it;
    if (length === undefined || !end) return;
    context.world.clock.in(length, () => {
      end(context);
      context.record({ kind: 'Fault', ...pool, text: `${ends}.` });
    });
  };
}
