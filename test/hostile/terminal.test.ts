// Output to a terminal contains no control sequences from the input.
import { afterAll, describe, expect, it } from 'vitest';
import { Apart } from './apart.ts';
import { drifted, lines, pod, pool, window } from './objects.ts';
import { expectRound } from './says.ts';

const apart = new Apart();
afterAll(() => apart.end());

describe('Control characters', () => {
  const names = {
    'escape sequences': '\u001b[2J\u001b]0;pwned\u0007',
    'right to left': '\u202egnp.exe\u202c',
    'isolates and marks': '\u2066a\u2069\u200f\u200e',
    'line breaks': 'a\nlull: all is well\r\u2028\u2029\u0085',
    'zeros and tabs': 'a\u0000b\tc\u007f',
    'lone surrogates': '\ud800a\udfff',
    'what takes no room': 'a\u200bb\u00adc\ufeffd',
    tags: 'a\u{e0061}\u{e007f}',
  };

  it.each(Object.entries(names).map(([name, said]) => ({ name, said })))(
    '$name: is shown escaped',
    async ({ said }) => {
      const objects = [
        pool(),
        ...drifted(said),
        window({ note: said }, said),
        pod({ 'karpenter.sh/do-not-disrupt': said }, said),
      ];
      for (const all of [[], ['--all']]) {
        const { status, stdout } = await apart.read(lines(...objects), ['decide', ...all]);
        expect(status).toBe(0);
        expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        expect(stdout).toMatch(/\\(x|u\{|n|t)/);
      }
      const { status, stderr } = await apart.read(
        `kind: List\nitems: ["${JSON.stringify(said).slice(1, -1)}"]\n---\n"${JSON.stringify(said).slice(1, -1)}": &a [*b]`,
        ['decide'],
      );
      expect(status).toBe(2);
      expect(stderr.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    },
  );

  it.each(['e\u0301\u0302\u0303'.repeat(60), '👩‍👩‍👧‍👧', 'ノード', 'عقدة', 'Ａ', '🇩🇪'.repeat(20)])(
    '%s: is a name like any other',
    async (name) => {
      const told = await apart.read(lines(pool(), ...drifted(name)));
      expectRound(told, []);
      expect((JSON.parse(told.stdout) as { verdicts: { node: string }[] }).verdicts[0]?.node).toBe(name);
    },
  );
});
