// A real API server accepts Lull's CRDs and its patch of Karpenter's, and refuses invalid objects; who erases patched fields.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ownKinds, schemaOf } from '../../src/kinds/schema/crds.ts';
import type { Schema } from '../../src/kinds/schema/schema.ts';
import { crds } from '../cluster/places.ts';
import { admit, type Plain } from '../crds/admit.ts';
import { arbitraryOf } from '../crds/arbitrary.ts';
import { badObjects, goodObjects, onlyWhenPatched, placedRules, placedWhenPatched } from './crds/objects.ts';
import type { KubeObject } from './story/hand.ts';
import { runLull } from './story/lull.ts';
import { nodepool } from './story/objects.ts';
import { describeStory, type Story } from './story/story.ts';

const nodePools = 'nodepools.karpenter.sh';

/** Whether the server accepts an object, without storing it. */
async function tryOut(story: Story, object: object): Promise<{ code: number; body: Plain }> {
  const path = `${pathOf(object as KubeObject)}?dryRun=All`;
  const said = await story.cluster.api.ask({ method: 'POST', path, body: object });
  return { code: said.code, body: said.body as Plain };
}

/** All kinds here are cluster-scoped. */
const pathOf = ({ kind, apiVersion }: { kind: string; apiVersion: string }): string =>
  `/apis/${apiVersion}/${kind.toLowerCase()}s`;

const stockCrd = (): Plain => {
  const file = readdirSync(crds).find((name) => name.includes('nodepools')) ?? '';
  return parse(readFileSync(join(crds, file), 'utf8'));
};

interface Vector {
  readonly name: string;
  readonly input: { readonly nodePool: Plain; readonly old?: Plain };
  readonly want: { readonly admitted: boolean; readonly defaulted?: Plain };
}

/** Without messages about a change: they are about the earlier object. */
const vectors = (
  JSON.parse(readFileSync(join(import.meta.dirname, '../vectors/admission.json'), 'utf8')) as { cases: Vector[] }
).cases.filter(({ input }) => !input.old);

describeStory('crds', { install: 'crds' }, (story) => {
  const crd = async (): Promise<KubeObject> => (await story.read('CustomResourceDefinition', nodePools)) as KubeObject;

  /** As an upgrade of Karpenter does. */
  async function applyStock(): Promise<void> {
    const { resourceVersion } = (await crd()).metadata;
    const stock = stockCrd() as unknown as KubeObject;
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${nodePools}`;
    const body = { ...stock, metadata: { ...stock.metadata, resourceVersion } };
    await story.cluster.api.must({ method: 'PUT', path, body });
  }

  async function patchCrd(): Promise<void> {
    const words = ['crds', '--patch-nodepool', '-', '-o', 'json'];
    const { stdout, code, stderr } = await runLull(story.cluster, words, JSON.stringify(await crd()));
    expect([code, stderr]).toEqual([0, '']);
    expect(await story.jsonPatch('CustomResourceDefinition', nodePools, JSON.parse(stdout))).toMatchObject({
      code: 200,
    });
  }

  /** The server takes a moment to serve a changed CRD. */
  const serves = (fields: 'patched' | 'stock') =>
    story.until(`the API server serves the ${fields} NodePool`, async () => {
      const said = await story.cluster.api.ask({
        method: 'POST',
        path: '/apis/karpenter.sh/v1/nodepools?dryRun=All&fieldValidation=Strict',
        body: onlyWhenPatched,
      });
      return (said.code === 201) === (fields === 'patched');
    });

  async function answersTo(objects: readonly object[]): Promise<number[]> {
    const codes: number[] = [];
    for (const object of objects) codes.push((await tryOut(story, object)).code);
    return codes;
  }

  const budgetsOf = async (name: string) => (await story.read('NodePool', name))?.spec.disruption.budgets;

  describe("Lull's CRDs", () => {
    it('are established, with accepted names and a structural schema', async () => {
      for (const { plural, group } of ownKinds) {
        const read = () => story.read('CustomResourceDefinition', `${plural}.${group}`);
        await story.until(`${plural} is established`, async () => conditionOf(await read(), 'Established') === 'True');
        expect(conditionOf(await read(), 'NamesAccepted')).toBe('True');
        expect(conditionOf(await read(), 'NonStructuralSchema')).toBeUndefined();
      }
    });

    it('are the same when they are applied again', async () => {
      const versions = async () =>
        (await story.list('CustomResourceDefinition')).map(({ metadata }) => metadata.generation);
      const before = await versions();
      const { stdout } = await story.lull('crds', '-o', 'json');
      const read = JSON.parse(stdout);
      await story.apply(...(Array.isArray(read) ? read : (read.items ?? [read])));
      expect(await versions()).toEqual(before);
    });

    it.each(goodObjects)('admit %s', async (_, object) => {
      expect(await story.create(object)).toMatchObject({ code: 201 });
      const { kind, metadata } = object as KubeObject;
      await story.remove(kind, metadata.name);
    });

    it.each(badObjects)('refuse %s: %s', async (_, words, object) => {
      const { code, body } = await story.create(object);
      expect([code, (body as Plain).message]).toEqual([422, expect.stringContaining(words)]);
    });

    it.each(placedRules)('keep the rule: %s', async (_, { good, bad }, place) => {
      expect(await answersTo(good.map(place))).toEqual(good.map(() => 201));
      expect(await answersTo(bad.map(place))).toEqual(bad.map(() => 422));
    });

    // The unit tests of the rules and readers rely on this model of the API server.
    it.each(ownKinds)('are interpreted by the API server like by our model of it: $kind', async (definition) => {
      const { group, version, kind } = definition;
      const schema: Schema = schemaOf(definition);
      const specs = fc.sample(arbitraryOf(definition.spec), { numRuns: 300, seed: 2026 });
      let [admitted, refused] = [0, 0];
      for (const spec of specs) {
        const name = kind === 'DisruptionLedger' ? 'lull' : 'x';
        const object = { apiVersion: `${group}/${version}`, kind, metadata: { name }, spec };
        const model = admit(schema, object);
        const { code, body } = await tryOut(story, object);
        const said = `${JSON.stringify(spec)}\nthe model: ${model.errors.join('; ')}\nthe server: ${code} ${body.message}`;
        if (model.errors.length > 0) expect(code, said).toBe(422);
        else expect([code, body.spec], said).toEqual([201, model.object.spec]);
        if (code === 201) admitted++;
        else refused++;
      }
      expect(Math.min(admitted, refused)).toBeGreaterThan(20);
    });
  });

  /** What upstream's own tests say about its CRD: the embedded NodePool is checked against them. */
  async function differsFromVectors(): Promise<string[]> {
    const wrong: string[] = [];
    for (const { name, input, want } of vectors) {
      const { code, body } = await tryOut(story, input.nodePool);
      const stored = code === 201 ? (body as unknown as KubeObject).spec : undefined;
      const said = stored && { disruption: stored.disruption, expireAfter: stored.template.spec.expireAfter };
      if (!isDeepStrictEqual(said, want.defaulted)) wrong.push(`${name}: ${code} ${JSON.stringify(said)}`);
    }
    return wrong;
  }

  it("Karpenter's stock NodePool admits and stores what the vectors expect", async () => {
    expect(vectors.length).toBeGreaterThan(100);
    expect(await differsFromVectors()).toEqual([]);
  });

  describe("N9: Lull's fields in Karpenter's own NodePool", () => {
    const budgets = [{ nodes: '1', topologyKey: 'topology.kubernetes.io/zone', sequential: true, settle: '30s' }];

    it('are refused before the patch: strictly, or cut off', async () => {
      expect(await story.create(onlyWhenPatched)).toMatchObject({ code: 400 });
      const body = { ...onlyWhenPatched, metadata: { name: 'pruned' } };
      const { spec } = await story.cluster.api.must({ method: 'POST', path: '/apis/karpenter.sh/v1/nodepools', body });
      expect((spec as Plain).disruption).toMatchObject({ budgets: [{ nodes: '1' }] });
      expect(JSON.stringify(spec)).not.toContain('sequential');
      await story.remove('NodePool', 'pruned');
    });

    it('exist after the patch', async () => {
      await patchCrd();
      await serves('patched');
      await story.apply(nodepool({ name: 'patched', disruption: { budgets } }));
      expect(await budgetsOf('patched')).toEqual(budgets);
    });

    it.each(placedWhenPatched)('keep the rule: %s', async (_, { good, bad }, place) => {
      expect(await answersTo(good.map(place))).toEqual(good.map(() => 201));
      expect(await answersTo(bad.map(place))).toEqual(bad.map(() => 422));
    });

    it('change nothing that the stock NodePool admits and stores, except for the reason Expired', async () => {
      expect(await differsFromVectors()).toEqual([expect.stringContaining('reasons/["Expired"]: 201')]);
    });

    it('still refuse what Karpenter itself refuses', async () => {
      const bad = (budget: object) => story.tryApply(nodepool({ name: 'bad', disruption: { budgets: [budget] } }));
      expect(await bad({ nodes: '110%' })).toMatchObject({ code: 422 });
      expect(await bad({ nodes: '1', schedule: '@daily' })).toMatchObject({ code: 422 });
    });

    it('a second patch has nothing to add', async () => {
      const words = ['crds', '--patch-nodepool', '-', '-o', 'json'];
      const { stdout } = await runLull(story.cluster, words, JSON.stringify(await crd()));
      expect(JSON.parse(stdout)).toEqual([]);
    });

    it("survive Karpenter's writes and its restart", async () => {
      const hash = async () =>
        (await story.read('NodePool', 'patched'))?.metadata.annotations?.['karpenter.sh/nodepool-hash'];
      const first = await story.until('Karpenter has written its hash', hash);
      await story.patch('NodePool', 'patched', { spec: { template: { metadata: { labels: { version: 'two' } } } } });
      const second = await story.until('another hash', async () => {
        const now = await hash();
        return now !== first && now;
      });
      await story.cluster.component('karpenter').stop('SIGKILL');
      await story.patch('NodePool', 'patched', { spec: { template: { metadata: { labels: { version: 'three' } } } } });
      await story.cluster.component('karpenter').start();
      await story.until('a third hash, after its restart', async () => (await hash()) !== second);
      expect(await budgetsOf('patched')).toEqual(budgets);
    });

    it('are hidden when the stock CRD is applied again, and come back with the patch if no one wrote the pool meanwhile', async () => {
      await story.cluster.component('karpenter').stop();
      await applyStock();
      await serves('stock');
      expect(await budgetsOf('patched')).toEqual([{ nodes: '1' }]);
      await patchCrd();
      await serves('patched');
      expect(await budgetsOf('patched')).toEqual(budgets);
    });

    it('are erased for good by the next write to the pool', async () => {
      await applyStock();
      await serves('stock');
      await story.patch('NodePool', 'patched', { metadata: { labels: { touched: 'yes' } } });
      await patchCrd();
      await serves('patched');
      expect(await budgetsOf('patched')).toEqual([{ nodes: '1' }]);
    });
  });
});

const conditionOf = (object: KubeObject | undefined, wanted: string): string | undefined =>
  object?.status?.conditions?.find(({ type }: { type: string }) => type === wanted)?.status;
