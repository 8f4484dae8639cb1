// Expectations about nodes.
import { label } from '../../cluster/names.ts';
import type { RawClaim, RawPool } from '../actors/rawObjects.ts';
import { sameJson, type Texts } from '../kubeObject.ts';
import type { NodeInFlight } from '../story/flight.ts';
import { instantAsText } from '../story/storyEvent.ts';
import { broken, type ExpectationRow, met, missing, never } from './expectEvents.ts';
import type { Observed } from './scenario.ts';
import { needName, needText, readMoment, refuseUnknown, theOnly } from './shapes.ts';

export const finished: ExpectationRow = {
  name: 'finished',
  means: 'By then every node of the pool matches the current template, and none is being disrupted.',
  example: '{ finished: { pool: web, by: 5h } }',
  read: (what, { pools, from }) => {
    refuseUnknown(what, ['pool', 'by']);
    const pool = needName(what, 'pool', pools);
    const by = readMoment(what, 'by', from);
    const text = `Pool ${pool} is rolled${by === undefined ? ' at the end' : ` by ${instantAsText(by)}`}.`;
    return {
      text,
      watch: (observed) => {
        let late: string | undefined;
        if (by !== undefined && by <= observed.to) {
          observed.clock.at(by, () => {
            late = unfinished(pool, observed);
          });
        }
        return () => {
          const left = unfinished(pool, observed);
          if (late !== undefined) return broken(`${text} But ${late}.`);
          return left === undefined ? met : missing(`${text} But ${left}.`);
        };
      },
    };
  },
};

function unfinished(pool: string, { objects, flight }: Observed): string | undefined {
  const object = objects.get('NodePool', pool);
  const claims = [...objects.list('NodeClaim')].filter(({ metadata }) => metadata.labels?.[label.pool] === pool);
  const old = claims.filter((claim) => object && !matchesTemplate(claim, object)).map(({ metadata }) => metadata.name);
  const leaving = [...flight.leaving.values()].filter((it) => it.pool === pool).map(({ node }) => node);
  if (claims.length === 0) return 'it has no nodes';
  if (old.length > 0) return `${listed(old)} ${old.length === 1 ? 'has' : 'have'} an older template`;
  return leaving.length > 0
    ? `${listed(leaving)} ${leaving.length === 1 ? 'is' : 'are'} still being disrupted`
    : undefined;
}

export const neverMore: ExpectationRow = {
  name: 'neverMore',
  means: 'At most this number of nodes of the pool, or of one of its domains, are being disrupted at a time.',
  example: '{ neverMore: { pool: web, nodes: 1, domain: a } }',
  read: (what, { pools }) => {
    refuseUnknown(what, ['pool', 'nodes', 'domain', 'topologyKey']);
    const pool = what.has('pool') ? needName(what, 'pool', pools) : undefined;
    if (!what.has('nodes')) what.fault('nodes', 'nodes is missing. Give the most that may be disrupted at a time.');
    const most = what.whole('nodes', 0, mostNodes) ?? 0;
    const domain = what.text('domain');
    const key = what.text('topologyKey') ?? label.zone;
    const where = `${pool === undefined ? '' : ` of pool ${pool}`}${domain === undefined ? '' : ` in ${domain}`}`;
    const text = `At most ${most} ${most === 1 ? 'node' : 'nodes'}${where} at a time.`;
    const counts = (it: NodeInFlight): boolean =>
      (pool === undefined || it.pool === pool) && (domain === undefined || it.labels[key] === domain);
    return never(text, ({ flight, clock }, breach) =>
      flight.onLeaving(() => {
        const nodes = [...flight.leaving.values()].filter(counts).map(({ node }) => node);
        if (nodes.length > most) breach(`at ${instantAsText(clock.now)} there were ${listed(nodes)}.`);
      }),
    );
  },
};

export const oneDomainAtATime: ExpectationRow = {
  name: 'oneDomainAtATime',
  means: 'Drifted nodes of two domains of the pool are never disrupted at the same time.',
  example: '{ oneDomainAtATime: { pool: web, topologyKey: topology.kubernetes.io/zone } }',
  read: (what, { pools }) => {
    refuseUnknown(what, ['pool', 'topologyKey']);
    const pool = needName(what, 'pool', pools);
    const key = what.text('topologyKey') ?? label.zone;
    const text = `Pool ${pool} is rolled one domain at a time.`;
    const isMeant = (it: NodeInFlight): boolean => it.pool === pool && it.command?.reason === 'Drifted';
    return never(text, ({ flight, clock }, breach) =>
      flight.onLeaving(() => {
        const domains = new Set([...flight.leaving.values()].filter(isMeant).map(({ labels }) => labels[key]));
        if (domains.size > 1)
          breach(`at ${instantAsText(clock.now)} nodes of ${listed([...domains].map(String))} were disrupted.`);
      }),
    );
  },
};

export const stays: ExpectationRow = {
  name: 'stays',
  means: 'The node, or every node of the pool, is not disrupted until then, or at all.',
  example: '{ stays: { node: web-3, until: 4h } }',
  read: (what, { pools, from }) => {
    refuseUnknown(what, ['node', 'pool', 'until']);
    const by = theOnly(what, ['node', 'pool'], 'a node or a pool');
    const name = by === 'pool' ? needName(what, 'pool', pools) : needText(what, 'node', 'web-3');
    const until = readMoment(what, 'until', from);
    const nodes = by === 'pool' ? `Every node of pool ${name}` : name;
    const text = `${nodes} stays${until === undefined ? '' : ` until ${instantAsText(until)}`}.`;
    return never(text, ({ clock, onEvent }, breach) =>
      onEvent(({ kind, node, pool }) => {
        const isMeant = by === 'pool' ? pool === name : node === name;
        if (!isMeant || (until !== undefined && clock.now >= until)) return;
        if (kind === 'NodeTainted' || kind === 'NodeGone')
          breach(`at ${instantAsText(clock.now)} ${node} was ${kind === 'NodeGone' ? 'gone' : 'tainted'}.`);
      }),
    );
  },
};

const mostNodes = 1_000_000;
const mostNamed = 8;

function listed(names: readonly string[]): string {
  const some = [...names].sort().slice(0, mostNamed).join(', ');
  return names.length > mostNamed ? `${some} and ${names.length - mostNamed} more` : some;
}

/** Whether a NodeClaim matches its pool's current template, compared independently of the engine. */
function matchesTemplate({ spec = {}, metadata }: RawClaim, pool: RawPool): boolean {
  const template = pool.spec?.template ?? {};
  return (
    holds(metadata.labels, template.metadata?.labels) &&
    holds(metadata.annotations, template.metadata?.annotations) &&
    sameJson(spec.taints ?? [], template.spec?.taints ?? []) &&
    sameJson(spec.startupTaints ?? [], template.spec?.startupTaints ?? []) &&
    sameJson(spec.nodeClassRef, template.spec?.nodeClassRef) &&
    sameJson(spec.terminationGracePeriod, template.spec?.terminationGracePeriod) &&
    (template.spec?.requirements ?? []).every(({ key, operator, values = [] }) =>
      operator === 'In' ? values.includes(metadata.labels?.[key] ?? values[0] ?? '') : true,
    )
  );
}

const holds = (all: Texts = {}, some: Texts = {}): boolean =>
  Object.entries(some).every(([key, value]) => all[key] === value);
