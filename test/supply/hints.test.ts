// No hint, page or script shows a secret in an argument, where every process of the machine can read it.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../cluster/places.ts';

const places = [
  '*.md',
  'src/**/*.ts',
  'docs/**/*.md',
  'deploy/**/*.{yaml,tpl,txt}',
  'scripts/**/*.ts',
  '.github/**/*.yml',
  'test/e2e/*.md',
];
const files = places.flatMap((pattern) => globSync(pattern, { cwd: root })).filter((file) => !file.includes('.test.'));

const inArguments: readonly RegExp[] = [
  /--from-literal/,
  /\bcurl\b.*(-H|--header|-u|--user)\b.*(Bearer|Authorization|:)/i,
  /--password[= ](?!-stdin)/,
  /\blogin\b.* -p\s/,
  /--token[= ]["'$]?\w/,
  /_authToken=/,
];
const secretsIn = (text: string): readonly string[] =>
  text.split('\n').filter((line) => inArguments.some((pattern) => pattern.test(line)));

describe('Secrets', () => {
  it('are in no argument that the docs or messages tell users to type', () => {
    expect(files.length).toBeGreaterThan(300);
    const found = files.flatMap((file) =>
      secretsIn(readFileSync(join(root, file), 'utf8')).map((line) => `${file}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    'kubectl create secret generic lull --from-literal=token=abc',
    'curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:7727/api/picture',
    'helm registry login ghcr.io -u me --password "$TOKEN"',
    'docker login -u me -p $TOKEN',
    'lull up --token $TOKEN',
    'npm publish --//registry.example.com/:_authToken=$TOKEN',
  ])('would be found: %s', (line) => expect(secretsIn(line)).toEqual([line]));

  it.each([
    "openssl rand -hex 32 | tr -d '\\n' | kubectl create secret generic lull --from-file=token=/dev/stdin",
    `printf '%s' "$TOKEN" | skopeo login ghcr.io --username me --password-stdin`,
    'lull up --token-file /run/secrets/token',
  ])('may be written: %s', (line) => expect(secretsIn(line)).toEqual([]));
});
