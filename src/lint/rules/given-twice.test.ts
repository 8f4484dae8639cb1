import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { givenTwice } from './given-twice.ts';

const pool = (name: string): string => `apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: ${name}}\n`;

describe('L1: given-twice', () => {
  it('finds its example', () => {
    expect(found(givenTwice)).toEqual([
      {
        rule: 'given-twice',
        severity: 'info',
        object: 'NodePool/default',
        path: 'metadata.name',
        message: 'This object was given before, at policy.yaml:1. The last one counts.',
      },
    ]);
  });

  it('finds an object that is given three times once', () => {
    expect(found(givenTwice, [pool('a'), pool('a'), pool('a')].join('---\n'))[0]?.message).toBe(
      'This object was given before, at policy.yaml:1 and policy.yaml:5. The last one counts.',
    );
  });

  it.each([
    { name: 'objects of different names', text: `${pool('a')}---\n${pool('b')}` },
    {
      name: 'pods of different namespaces',
      text: 'apiVersion: v1\nkind: Pod\nmetadata: {namespace: a, name: p}\n---\napiVersion: v1\nkind: Pod\nmetadata: {namespace: b, name: p}\n',
    },
    {
      name: 'kinds that Lull does not read',
      text: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n',
    },
  ])('is silent about $name', ({ text }) => {
    expect(places(givenTwice, text)).toEqual([]);
  });
});
