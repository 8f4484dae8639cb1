// Tests that a snapshot has everything that Lull reads of an object, and nothing else of a pod.
import { describe, expect, it } from 'vitest';
import { specimens } from '../../../test/hostile/specimens.ts';
import type { Json } from '../../kinds/read/reader.ts';
import { readObject } from '../../kinds/readObject.ts';
import { anonymise } from './anonymise/anonymise.ts';
import { slim } from './slim.ts';

describe('What is kept of an object reads as the whole of it', () => {
  it.each(specimens.map((object) => ({ object, kind: String(object.kind) })))('$kind', ({ object }) => {
    const kept = slim(object as Json);
    expect(JSON.stringify(readObject(kept))).toBe(JSON.stringify(readObject(object)));
  });
});

it('neither environments nor what a volume is made of is kept', () => {
  const pod = {
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: {
      containers: [
        { name: 'app', env: [{ name: 'PASSWORD', value: 'secret' }], ports: [{ hostPort: 80, name: 'secret' }] },
      ],
      volumes: [
        { name: 'a', secret: { secretName: 'secret' } },
        { name: 'b', ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'secret' } } } },
      ],
    },
  };
  expect(JSON.stringify(slim(pod))).not.toMatch(/"secret"/i);
});

it('N9: of the CRD of NodePools it is kept whether it has changed, masked or not', () => {
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'nodepools.karpenter.sh', uid: 'u1', generation: 3 },
    spec: { versions: [] },
  };
  const pool = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'web', annotations: { 'lull.dev/budgets-seen-under': 'u1.3' } },
  };
  const kept = [crd, pool].map((object) => slim(object) as Json);
  expect(readObject(kept[0])).toEqual(readObject(crd));
  const [definition, masked] = anonymise(kept).objects.map((object) => readObject(object));
  expect(definition).toMatchObject({ record: { version: expect.stringMatching(/^[0-9a-f]{32}\.3$/) } });
  const seenUnder = masked?.kind === 'NodePool' ? masked.record.annotations['lull.dev/budgets-seen-under'] : undefined;
  expect(definition).toMatchObject({ record: { version: seenUnder } });
});
