// What is expected of nodes: that they are rolled by some time, that few go at once, that some stay.
import { label } from '../../../cluster/names.ts';
import { instantAsText } from '../../story/event.ts';
import type { Leaving } from '../../story/flight.ts';
import type { Scene } from '../expectation.ts';
import { needName, needText, readMoment, refuseUnknown, theOnly } from '../known.ts';
import { isOfToday } from '../ofToday.ts';
import { breaches, broken, came, type ExpectationRow, missing } from './row.ts';

export const finished: ExpectationRow = {
  name: 'finished',
  means: 'By then every node of the pool is of today’s template, and nothing of it is on its way out.',
  example: '{ finished: { pool: web, by: 5h } }',
  read: (what, { pools, from }) => {
    refuseUnknown(what, ['pool', 'by']);
    const pool = needName(what, 'pool', pools);
    const by = readMoment(what, 'by', from);
    const text = `Pool ${pool} is rolled${by === undefined ? ' in the end' : ` by ${instantAsText(by)}`}.`;
    return {
      text,
      watch: (scene) => {
        let late: string | undefined;
        if (by !== undefined && by <= scene.to) {
          scene.clock.at(by, () => {
            late = unfinished(pool, scene);
          });
        }
        return () => {
          const left = unfinished(pool, scene);
          if (late !== undefined) return broken(`${text} But ${late}.`);
          return left === undefined ? came : missing(`${text} But ${left}.`);
        };
      },
    };
  },
};

function unfinished(pool: string, { objects, flight }: Scene): string | undefined {
  const object = objects.get('NodePool', pool);
  const claims = [...objects.list('NodeClaim')].filter(({ metadata }) => metadata.labels?.[label.pool] === pool);
  const old = claims.filter((claim) => object && !isOfToday(claim, object)).map(({ metadata }) => metadata.name);
  const leaving = [...flight.leaving.values()].filter((it) => it.pool === pool).map(({ node }) => node);
  if (claims.length === 0) return 'it has no nodes';
  if (old.length > 0) return `${listed(old)} ${old.length === 1 ? 'is' : 'are'} of an older template`;
  return leaving.length > 0 ? `${listed(leaving)} ${leaving.length === 1 ? 'is' : 'are'} still leaving` : undefined;
}

export const neverMore: ExpectationRow = {
  name: 'neverMore',
  means: 'Never more than so many nodes of the pool (of that zone of it) are on their way out at once.',
  example: '{ neverMore: { pool: web, nodes: 1, domain: a } }',
  read: (what, { pools }) => {
    refuseUnknown(what, ['pool', 'nodes', 'domain', 'topologyKey']);
    const pool = what.has('pool') ? needName(what, 'pool', pools) : undefined;
    if (!what.has('nodes')) what.fault('nodes', 'There is no nodes. Give the most that may go at once.');
    const most = what.whole('nodes', 0, mostNodes) ?? 0;
    const domain = what.text('domain');
    const key = what.text('topologyKey') ?? label.zone;
    const where = `${pool === undefined ? '' : ` of pool ${pool}`}${domain === undefined ? '' : ` in ${domain}`}`;
    const text = `Never more than ${most} nodes${where} go at once.`;
    const counts = (it: Leaving): boolean =>
      (pool === undefined || it.pool === pool) && (domain === undefined || it.labels[key] === domain);
    return {
      text,
      watch: ({ flight, clock }) => {
        const breached = breaches();
        flight.onLeaving(() => {
          const nodes = [...flight.leaving.values()].filter(counts).map(({ node }) => node);
          if (nodes.length > most) breached.add(`${text} But at ${instantAsText(clock.now)} it is ${listed(nodes)}.`);
        });
        return breached.judge;
      },
    };
  },
};

export const oneDomainAtATime: ExpectationRow = {
  name: 'oneDomainAtATime',
  means: 'Drifted nodes of two domains of the pool are never on their way out at once.',
  example: '{ oneDomainAtATime: { pool: web, topologyKey: topology.kubernetes.io/zone } }',
  read: (what, { pools }) => {
    refuseUnknown(what, ['pool', 'topologyKey']);
    const pool = needName(what, 'pool', pools);
    const key = what.text('topologyKey') ?? label.zone;
    const text = `Pool ${pool} is rolled one domain at a time.`;
    return {
      text,
      watch: ({ flight, clock }) => {
        const breached = breaches();
        flight.onLeaving(() => {
          const drifted = [...flight.leaving.values()].filter(
            (it) => it.pool === pool && it.command?.reason === 'Drifted',
          );
          const domains = new Set(drifted.map(({ labels }) => labels[key]));
          if (domains.size > 1)
            breached.add(`${text} But at ${instantAsText(clock.now)} nodes of ${listed([...domains].map(String))} go.`);
        });
        return breached.judge;
      },
    };
  },
};

export const stays: ExpectationRow = {
  name: 'stays',
  means: 'The node, or every node of the pool, stays until then, or to the end.',
  example: '{ stays: { node: web-3, until: 4h } }',
  read: (what, { pools, from }) => {
    refuseUnknown(what, ['node', 'pool', 'until']);
    const by = theOnly(what, ['node', 'pool'], 'a node or a pool');
    const name = by === 'pool' ? needName(what, 'pool', pools) : needText(what, 'node', 'web-3');
    const until = readMoment(what, 'until', from);
    const whom = by === 'pool' ? `Every node of pool ${name}` : name;
    const text = `${whom} stays${until === undefined ? '' : ` until ${instantAsText(until)}`}.`;
    return {
      text,
      watch: ({ clock, onEvent }) => {
        const breached = breaches();
        onEvent(({ kind, node, pool }) => {
          const isMeant = by === 'pool' ? pool === name : node === name;
          if (!isMeant || (until !== undefined && clock.now >= until)) return;
          if (kind === 'NodeTainted' || kind === 'NodeGone')
            breached.add(
              `${text} But at ${instantAsText(clock.now)} ${node} ${kind === 'NodeGone' ? 'is gone' : 'is taken'}.`,
            );
        });
        return breached.judge;
      },
    };
  },
};

const mostNodes = 1_000_000;
const mostNamed = 8;

function listed(names: readonly string[]): string {
  const some = [...names].sort().slice(0, mostNamed).join(', ');
  return names.length > mostNamed ? `${some} and ${names.length - mostNamed} more` : some;
}
