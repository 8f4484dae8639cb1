// How is Lull's memory masked? Every name in it as the objects are that it speaks of.
import { nameOfWorkload } from '../../cluster/workload.ts';
import { isMap, type Json } from '../../kinds/reader.ts';
import type { Masks } from './masks.ts';
import { kindOf } from './metadata.ts';
import { each, fields, keep, labelKey, labelValue, name, type Rule } from './rules.ts';

/** `namespace/Kind/name`: see src/cluster/workload.ts. */
function workload(text: string, masks: Masks): string {
  const [namespace = '', kind = '', ...rest] = text.split('/');
  return [masks.name('namespace', namespace), kindOf(kind, masks), masks.name('owner', rest.join('/'))].join('/');
}

const pdb: Rule = (value, masks) => {
  if (typeof value !== 'string') return value;
  const [namespace = '', called = ''] = value.split('/');
  return `${masks.name('namespace', namespace)}/${masks.name('pdb', called)}`;
};

const expected: Rule = each((value, masks) => {
  if (!isMap(value) || typeof value.owner !== 'string') return value;
  const owner = workload(value.owner, masks);
  return {
    owner,
    name: nameOfWorkload(owner),
    running: value.running,
    ...(value.pdb !== undefined && { pdb: pdb(value.pdb, masks) }),
  };
});

const turn: Rule = (value, masks) => {
  if (!isMap(value)) return value;
  const key = String(value.topologyKey);
  const domain: Rule = (text) => (typeof text === 'string' ? labelValue(key, text, masks) : text);
  return fields({
    pool: name('pool'),
    topologyKey: labelKey,
    domain,
    takenAt: keep,
    progressAt: keep,
    inFlight: each(name('node')),
    unreadyAtStart: each(name('node')),
    replacements: each(name('claim')),
    expected,
    wellSince: keep,
    passAsked: keep,
    passedOver: each(domain),
  })(value, masks);
};

const command = (domain: Rule): Rule =>
  fields({
    id: keep,
    reason: keep,
    pool: name('pool'),
    hands: keep,
    nodes: fields({ name: name('node'), claim: name('claim'), domain }),
    replacements: fields({ name: name('claim'), pool: name('pool'), instanceType: keep, assumed: keep, state: keep }),
    promisedTo: each(name('node')),
    step: keep,
    startedAt: keep,
    stepAt: keep,
    evictedAt: keep,
    drain: keep,
    trial: keep,
    parkedAt: keep,
  });

export const ledgerSpec: Rule = (value, masks) => {
  if (!isMap(value)) return value;
  const turns = (Array.isArray(value.turns) ? value.turns : []).filter(isMap);
  const keys = new Map(turns.map(({ pool, topologyKey }) => [pool, topologyKey]));
  // Of a command it is not said by which label its domains are told apart: the turn of its pool says so.
  const commands = each((each, all) => {
    const key = keys.get((each as Json).pool);
    const domain: Rule = (text) =>
      typeof text === 'string' && typeof key === 'string' ? labelValue(key, text, all) : undefined;
    return command(domain)(each, all);
  });
  return fields({
    version: keep,
    commands,
    turns: each(turn),
    backoffs: fields({ pool: name('pool'), until: keep, delay: keep }),
    declined: fields({ node: name('node'), at: keep }),
    seen: keep,
  })(value, masks);
};
