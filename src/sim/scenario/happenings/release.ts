// A new image is released for a pool: a label of its template changes, so that its nodes drift.
import type { Pool } from '../../actors/manifest.ts';
import type { KubeObject } from '../../kubeObject.ts';
import { needName, needText, refuseUnknown } from '../known.ts';
import type { HappeningRow } from './row.ts';

/** The template's label that says which image a node runs; what is broken on purpose goes by it too. */
const imageLabel = 'image';

export const release: HappeningRow = {
  name: 'release',
  means:
    'The label image of the pool’s template changes: its nodes drift. {n} in the image is the number of the repetition.',
  example: '{ at: 10m, release: { pool: web, image: v2 } }',
  read: (what, { pools }) => {
    refuseUnknown(what, ['pool', 'image']);
    const pool = needName(what, 'pool', pools);
    const image = needText(what, 'image', 'v2');
    return ({ world, repetition, tell }) => {
      const name = image.replaceAll('{n}', String(repetition));
      world.objects.write('NodePool', pool, 'script', (object) => withImage(object, name));
      tell({ kind: 'Happening', pool, text: `Image ${name} is released for pool ${pool}.` });
    };
  },
};

function withImage(object: KubeObject, image: string): KubeObject {
  const { spec = {} } = object as Pool;
  const { template = {} } = spec;
  const labels = { ...template.metadata?.labels, [imageLabel]: image };
  return { ...object, spec: { ...spec, template: { ...template, metadata: { ...template.metadata, labels } } } };
}
