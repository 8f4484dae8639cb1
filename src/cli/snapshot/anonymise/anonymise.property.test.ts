import { describe, it } from 'vitest';
import { decideAnew } from '../../../../test/invariants/decide.ts';
import { difference } from '../../../../test/invariants/difference.ts';
import { fewerClusters, forAll } from '../../../../test/invariants/forAll.ts';
import type { Plain, PlainObject, PlainSettings } from '../../../../test/invariants/plain.ts';
import { label } from '../../../cluster/names.ts';
import type { Refusal } from '../../../engine/refusal.ts';
import type { Round } from '../../../engine/verdict.ts';
import type { Json } from '../../../kinds/read/reader.ts';
import { readObject } from '../../../kinds/readObject.ts';
import { slim } from '../slim.ts';
import { anonymise } from './anonymise.ts';
import { keyOf, labelValue } from './maskMetadata.ts';
import type { Masks } from './masks.ts';

/** What each object is called, and its labels say, before and after. Of what is no more only the name is left: ?. */
class Dictionary {
  readonly #names = new Map<string, string>();
  readonly #domains = new Map<string, string>();

  constructor(before: readonly Json[], after: readonly Json[], masks?: Masks) {
    for (const [index, object] of before.entries()) {
      const [was, is] = [object.metadata, after[index]?.metadata] as [Json, Json];
      const kind = object.kind === 'Provisioner' ? 'NodePool' : object.kind;
      this.#names.set(`${kind}/${was.namespace ?? ''}/${was.name}`, `${is.namespace ?? ''}/${is.name}`);
      if (was.namespace !== undefined) this.#names.set(`Namespace//${was.namespace}`, `/${is.namespace}`);
      for (const [key, value] of Object.entries((was.labels ?? {}) as Json)) {
        this.#domains.set(`${key}=${value}`, masks ? labelValue(key, String(value), masks) : String(value));
        this.#domains.set(key, masks ? keyOf(key, masks) : key);
      }
    }
  }

  name = (kind: string, name: string | undefined, namespace = ''): string | undefined =>
    name === undefined ? undefined : (this.#names.get(`${kind}/${namespace}/${name}`) ?? '?');

  key = (key: string): string => this.#domains.get(key) ?? key;
  domain = (key: string, value: string | undefined): string | undefined =>
    value === undefined ? undefined : (this.#domains.get(`${key}=${value}`) ?? value);
}

/** All that is decided, but for sentences and for names that Lull makes up. */
function told(round: Round, { name, key, domain }: Dictionary): unknown {
  const refusal = ({ code, owner, liftsAt }: Refusal): unknown => ({
    code,
    liftsAt,
    owner: owner && [owner.kind, name(owner.kind, owner.name, owner.namespace), owner.index],
  });
  return {
    wakeAt: round.wakeAt,
    verdicts: round.verdicts.map((it) => ({
      node: name('Node', it.node),
      claim: name('NodeClaim', it.claim),
      pool: name('NodePool', it.pool),
      reason: it.reason,
      outcome: it.outcome,
      podsAgreeAt: it.podsAgreeAt,
      possibleAt: it.possibleAt,
      waitsFor: it.waitsFor,
      refusals: it.refusals.map(refusal),
    })),
    commands: round.commands.map(({ reason, hands, step, nodes }) => [
      reason,
      hands,
      step,
      nodes.map((node) => name('Node', node.name)),
    ]),
    allowances: round.allowances.map(({ pool, ...rest }) => ({ ...rest, pool: name('NodePool', pool) })),
    domains: round.domains.map((it) => ({
      ...it,
      pool: name('NodePool', it.pool),
      topologyKey: key(it.topologyKey),
      domain: domain(it.topologyKey, it.domain),
      leftBehind: undefined,
      // Sentences.
      unwell: it.unwell?.length,
    })),
    // Who wrote a window and why is masked.
    windows: round.windows.map(({ name: called, note: _, author: __, ...rest }) => ({
      ...rest,
      name: name(rest.kind, called),
    })),
    pods: round.pods.map((it) => ({
      pod: name('Pod', it.name, it.namespace),
      node: name('Node', it.node),
      movable: it.movable,
      movableAt: it.movableAt,
      refusals: it.refusals.map(refusal),
    })),
    actions: round.actions.map(({ verb, kind, name: called, namespace, patch }) => [
      verb,
      kind,
      verb === 'create' ? '' : name(kind, called, namespace),
      patch?.map(({ op, path }) => `${op} ${path}`),
    ]),
  };
}

/** What is said of things that the objects do not show cannot be compared by name. */
function differences(one: unknown, other: unknown): string[] {
  const [before, after] = [one, other] as [Json, Json];
  return Object.keys(before).flatMap((part) => {
    const [was, is] = [before[part], after[part]].map((it) => JSON.stringify(it, null, 1));
    const found = difference(was, is);
    return found === undefined ? [] : [`L2: ${part}: ${found}`];
  });
}

const asPlain = (plain: Plain, objects: readonly Json[]): Plain => ({
  ...plain,
  // Its labels are masked in the snapshot alone.
  settings: { ...plain.settings, pools: 'all' },
  objects: objects as unknown as readonly PlainObject[],
});

interface Offered {
  readonly name: string;
  readonly offerings?: readonly { readonly zone: string }[];
}

/** A catalogue is not part of a snapshot: as far as it names what the objects name, it is masked like them. */
function catalogues({ settings }: Plain, masks: Masks): readonly [PlainSettings, PlainSettings] {
  const called = (key: string, text: string): string | undefined => {
    const mask = labelValue(key, text, masks);
    return mask.includes('-') ? mask : undefined;
  };
  const known = ((settings.catalogue ?? []) as readonly Offered[])
    .filter(({ name }) => called(label.instanceType, name) !== undefined)
    .map((type) => ({
      ...type,
      offerings: type.offerings?.filter(({ zone }) => called(label.zone, zone) !== undefined),
    }));
  const masked = known.map(({ name, offerings, ...rest }) => ({
    ...rest,
    name: called(label.instanceType, name),
    offerings: offerings?.map((each) => ({ ...each, zone: called(label.zone, each.zone) })),
  }));
  return [
    { ...settings, catalogue: known },
    { ...settings, catalogue: masked },
  ];
}

/** Each is decided twice. */
const some = Math.ceil(fewerClusters / 5);

describe('A snapshot of any cluster', () => {
  it('holds all that is read: the same is decided of it', () =>
    forAll((plain) => {
      const objects = plain.objects as unknown as readonly Json[];
      const kept = objects.map((object) => slim(object) as Json);
      const asTheyAre = new Dictionary(objects, objects);
      return differences(
        told(decideAnew(asPlain(plain, objects)), asTheyAre),
        told(decideAnew(asPlain(plain, kept)), asTheyAre),
      );
    }, some));

  it('without its names is decided as with them', () =>
    forAll((plain) => {
      const objects = plain.objects as unknown as readonly Json[];
      const read = objects.filter((object) => readObject(object).kind !== 'ignored');
      const { objects: masked, masks } = anonymise(objects.map((object) => slim(object) as Json));
      const [settings, maskedSettings] = catalogues(plain, masks);
      const before = told(decideAnew(asPlain({ ...plain, settings }, objects)), new Dictionary(read, masked, masks));
      const after = decideAnew(asPlain({ ...plain, settings: maskedSettings }, masked));
      return differences(before, told(after, new Dictionary(masked, masked)));
    }, some));
});
