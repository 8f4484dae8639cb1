// Rules for Lull's memory: every name in it as the objects are that it speaks of.
import { steps } from '../../cluster/ledger.ts';
import { label } from '../../cluster/names.ts';
import { reasons } from '../../cluster/reason.ts';
import { nameOfWorkload } from '../../cluster/workload.ts';
import { isMap } from '../../kinds/reader.ts';
import { readKinds } from './allowed.ts';
import { labelKey, labelValue, resources } from './labels.ts';
import type { Masks } from './masks.ts';
import { kindOf } from './metadata.ts';
import { each, fields, keepText, mapEntries, masked, name, oneOf, type Rule } from './rules.ts';
import { duration, flag, instant, number } from './values.ts';

/** `namespace/Kind/name`: see src/cluster/workload.ts. */
function workload(text: string, masks: Masks): string {
  const [namespace = '', kind = '', ...rest] = text.split('/');
  return [masks.name('namespace', namespace), kindOf(kind, masks), masks.name('owner', rest.join('/'))].join('/');
}

const pdb: Rule = (value, masks) => {
  if (typeof value !== 'string') return masked(value, masks);
  const [namespace = '', called = ''] = value.split('/');
  return `${masks.name('namespace', namespace)}/${masks.name('pdb', called)}`;
};

const expected: Rule = each((value, masks) => {
  const given = isMap(value) && typeof value.owner === 'string' ? workload(value.owner, masks) : undefined;
  const owner: Rule = (text) => given ?? masked(text, masks);
  const called: Rule = (text) =>
    given !== undefined && typeof text === 'string' ? nameOfWorkload(given) : masked(text, masks);
  return fields({ owner, name: called, running: number, pdb })(value, masks);
});

/** A value of this label. */
const labelled =
  (key: string): Rule =>
  (value, masks) =>
    typeof value === 'string' ? labelValue(key, value, masks) : masked(value, masks);

const turn: Rule = (value, masks) => {
  const domain = labelled(isMap(value) ? String(value.topologyKey) : '');
  return fields({
    pool: name('pool'),
    topologyKey: labelKey,
    domain,
    takenAt: instant,
    progressAt: instant,
    inFlight: each(name('node')),
    unreadyAtStart: each(name('node')),
    replacements: each(name('claim')),
    expected,
    wellSince: instant,
    passAsked: instant,
    passedOver: each(domain),
  })(value, masks);
};

const launch: Rule = fields({
  instanceTypes: each(labelled(label.instanceType)),
  capacityTypes: each(labelled(label.capacityType)),
  zones: each(labelled(label.zone)),
  requests: resources,
});

const command = (domain: Rule): Rule =>
  fields({
    id: name('command'),
    reason: oneOf(...reasons),
    pool: name('pool'),
    hands: oneOf('lull', 'karpenter'),
    nodes: fields({ name: name('node'), claim: name('claim'), domain }),
    replacements: fields({
      name: name('claim'),
      pool: name('pool'),
      instanceType: labelled(label.instanceType),
      launch,
      assumed: flag,
      state: oneOf('made', 'failed'),
    }),
    promisedTo: each(name('node')),
    step: oneOf(...steps),
    startedAt: instant,
    stepAt: instant,
    evictedAt: instant,
    drain: fields({ left: number, progressAt: instant }),
    savings: number,
    podsMoved: number,
    trial: flag,
    why: masked,
    parkedAt: instant,
  });

/** How far each kind was seen: numbers of the API server. */
const seen: Rule = (value, masks) =>
  mapEntries(value, masks, (kind, version) => [
    readKinds.has(kind) ? kind : masks.name('kind', kind),
    keepText((text) => /^\d{1,20}$/.test(text))(version, masks),
  ]);

export const ledgerSpec: Rule = (value, masks) => {
  const given = isMap(value) && Array.isArray(value.turns) ? value.turns : [];
  const keys = new Map(given.filter(isMap).map(({ pool, topologyKey }) => [pool, topologyKey]));
  // Of a command it is not said by which label its domains are told apart: the turn of its pool says so.
  const commands = each((one, all) => {
    const key = isMap(one) ? keys.get(one.pool) : undefined;
    const domain: Rule = (text) => (typeof key === 'string' ? labelled(key)(text, all) : undefined);
    return command(domain)(one, all);
  });
  return fields({
    version: number,
    commands,
    turns: each(turn),
    backoffs: fields({ pool: name('pool'), until: instant, delay: duration }),
    declined: fields({ node: name('node'), at: instant }),
    seen,
  })(value, masks);
};
