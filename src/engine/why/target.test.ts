import { describe, expect, it } from 'vitest';
import { machine, pod, pool, storeOf } from '../../../test/build.ts';
import { findTarget, nameOfTarget } from './why.ts';

const cluster = storeOf(
  pool('web'),
  pool('web-3'),
  machine('web-3'),
  machine('api-1'),
  pod('web-0', 'web-3'),
  pod('web-0', 'api-1', { namespace: 'test' }),
  pod('train', 'api-1', { namespace: 'ml' }),
  pod('waits', '', { phase: 'Pending', ready: 'False' }),
);

describe('Whom a question is about', () => {
  it.each([
    ['api-1', 'node/api-1'],
    ['node/web-3', 'node/web-3'],
    ['no/web-3', 'node/web-3'],
    ['Nodes/web-3', 'node/web-3'],
    ['nodepool/web-3', 'pool/web-3'],
    ['web', 'pool/web'],
    ['train', 'pod/ml/train'],
    ['ml/train', 'pod/ml/train'],
    ['pod/ml/train', 'pod/ml/train'],
    ['pod/train', 'pod/ml/train'],
    ['waits', 'pod/shop/waits'],
    ['api-1-claim', 'node/api-1'],
    ['nodeclaim/api-1-claim', 'node/api-1'],
  ])('%s is %s', (text, is) => {
    const found = findTarget(cluster, text);
    expect('target' in found ? nameOfTarget(found.target) : found).toBe(is);
  });

  it.each([
    ['web-3', ['pool/web-3', 'node/web-3']],
    ['web-0', ['pod/shop/web-0', 'pod/test/web-0']],
  ])('%s may mean several', (text, like) => {
    const found = findTarget(cluster, text);
    expect('target' in found ? found : [...found.like].sort()).toEqual([...like].sort());
  });

  it.each([
    ['api', 'No node, pod or pool is named "api".', ['node/api-1']],
    ['node/train', 'No node is named "train".', ['pod/ml/train']],
    ['trian', 'No node, pod or pool is named "trian".', []],
    [
      'webby',
      'No node, pod or pool is named "webby".',
      ['node/web-3', 'pod/shop/web-0', 'pod/test/web-0', 'pool/web', 'pool/web-3'],
    ],
    ['traim', 'No node, pod or pool is named "traim".', ['pod/ml/train']],
    ['', 'No node, pod or pool is named "".', []],
    ['pod/', 'No pod is named "".', []],
    ['///', 'No node, pod or pool is named "///".', []],
  ])('%s means none, and these are like it', (text, message, like) => {
    expect(findTarget(cluster, text)).toEqual({ message, like });
  });
});
