// Mask rules for the ledger: its names are masked like those of the objects it refers to.
import { steps } from '../../../cluster/ledger.ts';
import { label } from '../../../cluster/names.ts';
import { reasons } from '../../../cluster/reason.ts';
import { nameOfWorkload } from '../../../cluster/workload.ts';
import { isMap } from '../../../kinds/read/reader.ts';
import { readKinds } from './allowed.ts';
import { kindOf, labelKey, labelValue, resources } from './maskMetadata.ts';
import type { Masks } from './masks.ts';
import {
  digest,
  duration,
  each,
  fields,
  flag,
  instant,
  keepText,
  type MaskRule,
  mapEntries,
  masked,
  name,
  number,
  oneOf,
} from './rules.ts';

/** `namespace/Kind/name`: see src/cluster/workload.ts. */
function workload(text: string, masks: Masks): string {
  const [namespace = '', kind = '', ...rest] = text.split('/');
  return [masks.name('namespace', namespace), kindOf(kind, masks), masks.name('owner', rest.join('/'))].join('/');
}

const pdb: MaskRule = (value, masks) => {
  if (typeof value !== 'string') return masked(value, masks);
  const [namespace = '', called = ''] = value.split('/');
  return `${masks.name('namespace', namespace)}/${masks.name('pdb', called)}`;
};

const expected: MaskRule = each((value, masks) => {
  const given = isMap(value) && typeof value.owner === 'string' ? workload(value.owner, masks) : undefined;
  const owner: MaskRule = (text) => given ?? masked(text, masks);
  const called: MaskRule = (text) =>
    given !== undefined && typeof text === 'string' ? nameOfWorkload(given) : masked(text, masks);
  return fields({ owner, name: called, running: number, pdb })(value, masks);
});

/** A value of this label. */
const labelled =
  (key: string): MaskRule =>
  (value, masks) =>
    typeof value === 'string' ? labelValue(key, value, masks) : masked(value, masks);

const turn: MaskRule = (value, masks) => {
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
    gatedSince: instant,
    passAsked: instant,
    passedOver: each(domain),
  })(value, masks);
};

const roll: MaskRule = fields({
  pool: name('pool'),
  startedAt: instant,
  print: digest,
  counted: number,
  done: number,
  wave: number,
  waveAt: instant,
  failures: number,
  haltedAt: instant,
  resumedAt: instant,
  inFlight: each(name('node')),
  unreadyAtStart: each(name('node')),
  replacements: each(name('claim')),
  expected,
  wellSince: instant,
  passAsked: instant,
});

const launch: MaskRule = fields({
  instanceTypes: each(labelled(label.instanceType)),
  capacityTypes: each(labelled(label.capacityType)),
  zones: each(labelled(label.zone)),
  requests: resources,
});

const command = (domain: MaskRule): MaskRule =>
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

const startRecord: MaskRule = (value, masks) =>
  fields({
    kind: oneOf('NodePool', 'MaintenanceWindow'),
    name: name(isMap(value) && value.kind === 'MaintenanceWindow' ? 'window' : 'pool'),
    minutes: fields({ at: instant, nodes: number }),
    leaving: each(name('claim')),
  })(value, masks);

/** How far each kind was seen: resource versions of the API server. */
const seen: MaskRule = (value, masks) =>
  mapEntries(value, masks, (kind, version) => [
    readKinds.has(kind) ? kind : masks.name('kind', kind),
    keepText((text) => /^\d{1,20}$/.test(text))(version, masks),
  ]);

export const ledgerSpec: MaskRule = (value, masks) => {
  const given = isMap(value) && Array.isArray(value.turns) ? value.turns : [];
  const keys = new Map(given.filter(isMap).map(({ pool, topologyKey }) => [pool, topologyKey]));
  // A command does not name the topology label of its domains; the turn of its pool does.
  const commands = each((one, all) => {
    const key = isMap(one) ? keys.get(one.pool) : undefined;
    const domain: MaskRule = (text) => (typeof key === 'string' ? labelled(key)(text, all) : undefined);
    return command(domain)(one, all);
  });
  return fields({
    version: number,
    commands,
    turns: each(turn),
    backoffs: fields({ pool: name('pool'), until: instant, delay: duration }),
    declined: fields({ node: name('node'), at: instant }),
    rolls: each(roll),
    templates: fields({ pool: name('pool'), print: digest, since: instant }),
    starts: each(startRecord),
    seen,
  })(value, masks);
};
