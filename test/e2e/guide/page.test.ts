import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../cluster/places.ts';
import { firstMissing, readPage } from './page.ts';

const fence = '```';
const page = `# A page

${fence}sh
lull version
${fence}

## Watch

${fence}sh terminal=lull
lull run
${fence}

${fence}text
ready … 6 nodes
${fence}

${fence}sh by hand
rm -r everything
${fence}

${fence}yaml
kind: Pod
${fence}

${fence}sh until=9
kubectl get nodes
${fence}

<!-- Ctrl-C lull -->
`;

describe('A page of the guide', () => {
  it('consists of its commands, in order', () => {
    expect(readPage(page)).toEqual([
      { heading: 'A page', line: 3, script: 'lull version\n', shown: [] },
      { heading: 'Watch', line: 9, script: 'lull run\n', shown: ['ready … 6 nodes'], terminal: 'lull' },
      { heading: 'Watch', line: 25, script: 'kubectl get nodes\n', shown: [], until: 9 },
      { heading: 'Watch', line: 29, script: '', shown: [], interrupts: 'lull' },
    ]);
  });

  it('output without a command before it is an error of the page', () => {
    expect(() => readPage(`${fence}text\nwhat\n${fence}`)).toThrow('line 1');
  });

  it.each([
    { shown: ['a', 'b'], printed: 'a\nx\nb\n', missing: undefined },
    { shown: ['b', 'a'], printed: 'a\nb\n', missing: 'a' },
    { shown: ['ready … 6 nodes'], printed: '12:00 ready   context x, 6 nodes', missing: undefined },
    { shown: ['ready … 6 nodes'], printed: 'ready\n6 nodes', missing: 'ready … 6 nodes' },
    { shown: ['one long sentence'], printed: '  one long\n    sentence', missing: undefined },
    { shown: ['kwok-… <none>', 'kwok-… <none>'], printed: 'kwok-1 <none>\nkwok-2 2026', missing: 'kwok-… <none>' },
    { shown: ['(a.b)'], printed: '(axb)', missing: '(a.b)' },
  ])('in $printed it finds $missing missing', ({ shown, printed, missing }) => {
    expect(firstMissing(shown, printed)).toBe(missing);
  });

  it('beside-karpenter.md leads from install to uninstall, and leaves nothing running', () => {
    const steps = readPage(readFileSync(join(root, 'docs/guide/beside-karpenter.md'), 'utf8'));
    const scripts = steps.map(({ script }) => script).join('');
    for (const command of [
      'install',
      'run',
      'lint',
      'decide',
      'shadow',
      'why',
      'pause',
      'resume',
      'release',
      'uninstall',
    ])
      expect(scripts, command).toMatch(new RegExp(`\\blull ${command}\\b`));
    const begun = steps.filter(({ terminal }) => terminal !== undefined);
    expect(steps.filter(({ interrupts }) => interrupts !== undefined)).toHaveLength(begun.length);
    expect(scripts.match(/cluster:up/g)).toHaveLength(scripts.match(/cluster:down/g)?.length ?? 0);
  });
});
