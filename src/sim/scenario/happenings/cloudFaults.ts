// What can go wrong outside Lull: launches that never come, slow machines, broken images, crashing workloads.
import type { Reader } from '../../../kinds/reader.ts';
import { everything, type Wrong, type Wrongs } from '../../conditions.ts';
import { needName, needText } from '../known.ts';
import type { Fault, FaultRow } from './faultRow.ts';

/** Stands in the box's record of what is wrong for as long as it lasts. */
function standing<W extends Wrong>(
  what: W,
  name: string,
  how: Wrongs[W],
  words: Pick<Fault, 'begins' | 'ends'>,
): Fault {
  return {
    ...words,
    begin: ({ world }) => world.conditions.set(what, name, how),
    end: ({ world }) => world.conditions.clear(what, name),
  };
}

const launches: FaultRow = {
  name: 'launches',
  means:
    'New machines of the pool never come, are refused at once, or take so many times as long. Without pool: of every pool.',
  example: '{ launches: never, pool: web, for: 30m }',
  with: ['pool'],
  read: (what, { pools }) => {
    const pool = readPool(what, pools);
    const value = what.raw('launches');
    const how = isFactor(value) ? value : (what.oneOf('launches', ['never', 'fails']) ?? 'never');
    const words = { never: 'do not come', fails: 'are refused by the cloud' };
    const says = typeof how === 'number' ? `take ${how} times as long` : words[how];
    const of = pool === everything ? '' : ` of pool ${pool}`;
    const wrong = standing('launches', pool, how, {
      begins: `New machines${of} ${says}`,
      ends: `New machines${of} come again`,
    });
    return pool === everything ? wrong : { ...wrong, pool };
  },
};

const boots: FaultRow = {
  name: 'boots',
  means: 'From launch to Ready takes so many times as long.',
  example: '{ boots: 20, pool: web, for: 1h }',
  with: ['pool'],
  read: (what, { pools }) => {
    const pool = readPool(what, pools);
    const value = what.raw('boots');
    if (!isFactor(value)) what.wrong('boots', 'factor', 'Use a number above 0.');
    const of = pool === everything ? '' : ` of pool ${pool}`;
    return standing('boots', pool, isFactor(value) ? value : 1, {
      begins: `New nodes${of} take ${value} times as long to get Ready`,
      ends: `New nodes${of} get Ready as fast as ever`,
    });
  },
};

const image: FaultRow = {
  name: 'image',
  means: 'The image is broken: nodes that run it never get Ready, or they do and their pods crash.',
  example: '{ image: v2, breaks: pods }',
  with: ['breaks'],
  read: (what) => {
    const name = needText(what, 'image', 'v2');
    const breaks = what.oneOf('breaks', ['nodes', 'pods']) ?? 'nodes';
    const says = breaks === 'nodes' ? 'nodes that run it never get Ready' : 'pods crash on nodes that run it';
    return standing('images', name, breaks, {
      begins: `Image ${name} is broken: ${says}`,
      ends: `Image ${name} is mended`,
    });
  },
};

const workload: FaultRow = {
  name: 'workload',
  means: 'The pods of a workload (namespace/Kind/name) crash, and none that starts gets Ready.',
  example: '{ workload: shop/Deployment/web, for: 10m }',
  with: [],
  read: (what) => {
    const name = needText(what, 'workload', 'shop/Deployment/web');
    return standing('workloads', name, 'crash', {
      begins: `The pods of ${name} crash`,
      ends: `The pods of ${name} run again`,
    });
  },
};

export const cloudFaults: readonly FaultRow[] = [launches, boots, image, workload];

const isFactor = (value: unknown): value is number => typeof value === 'number' && value > 0 && value < Infinity;

const readPool = (what: Reader, pools: readonly string[]): string =>
  what.has('pool') ? needName(what, 'pool', pools) : everything;
