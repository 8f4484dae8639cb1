// Does a snapshot hold all that is read of an object, and nothing else of what a pod says?
import { describe, expect, it } from 'vitest';
import { specimens } from '../../test/hostile/specimens.ts';
import type { Json } from '../kinds/reader.ts';
import { readObject } from '../kinds/readObject.ts';
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
