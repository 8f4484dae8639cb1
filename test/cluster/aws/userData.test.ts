import { describe, expect, it } from 'vitest';
import { readUserData } from './userData.ts';
import { itemsOf, readXml, textOf } from './wire.ts';

const userData = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: application/node.eks.aws

# Karpenter Generated NodeConfig
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: lull
  kubelet:
    config:
      registerWithTaints:
      - effect: NoExecute
        key: karpenter.sh/unregistered
    flags:
    - --node-labels="karpenter.sh/capacity-type=spot,karpenter.sh/nodepool=web,note=a=b"

--//--
`;

describe('user data', () => {
  it('has the labels and taints that a kubelet registers with', () => {
    expect(readUserData(Buffer.from(userData).toString('base64'))).toEqual({
      labels: { 'karpenter.sh/capacity-type': 'spot', 'karpenter.sh/nodepool': 'web', note: 'a=b' },
      taints: [{ effect: 'NoExecute', key: 'karpenter.sh/unregistered' }],
    });
  });

  it('without a NodeConfig is an error: such an instance never joins', () => {
    expect(() => readUserData(Buffer.from('#!/bin/bash\n').toString('base64'))).toThrow('No NodeConfig');
  });
});

describe('XML answers', () => {
  it('are read with lists, empty elements and entities', () => {
    const answer = readXml(
      '<?xml version="1.0"?><A xmlns="x"><set><item><id>i-1</id><empty/><name>a &amp; &#39;b&#39;</name></item><item/></set></A>',
    );
    const [first, second] = itemsOf(answer, 'set');
    expect(first && [textOf(first, 'id'), textOf(first, 'empty'), textOf(first, 'name')]).toEqual([
      'i-1',
      '',
      "a & 'b'",
    ]);
    expect(second).toEqual({ name: 'item', children: [], text: '' });
  });
});
