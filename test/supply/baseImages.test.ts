// Base images of the Dockerfile are pinned by digest, and a base image that is not is found.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { baseImagesIn, unpinnedIn } from '../../scripts/release/baseImages.ts';
import { root } from '../cluster/places.ts';

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
const digest = `sha256:${'a1'.repeat(32)}`;

describe('The Dockerfile', () => {
  it('pins its base images by digest', () => {
    expect(baseImagesIn(dockerfile).map(({ image }) => image.replace(/@.*/, ''))).toEqual([
      'docker.io/library/node:24-slim',
      'gcr.io/distroless/nodejs24-debian13:nonroot',
    ]);
    expect(unpinnedIn(dockerfile)).toEqual([]);
  });

  it('names them in FROM lines, which Dependabot updates, not in arguments', () => {
    for (const { line } of baseImagesIn(dockerfile))
      expect(dockerfile.split('\n')[line - 1]).toMatch(/^FROM (--\S+ )?[^$\s]+@sha256:[0-9a-f]{64} AS \S+$/);
  });

  it('installs exactly the lockfile, without install scripts', () => {
    expect(dockerfile).toContain('RUN npm ci --ignore-scripts ');
    expect(dockerfile).not.toMatch(/npm (install|i) /);
  });
});

describe('A base image without a digest is found', () => {
  it.each([
    ['a tag', 'FROM node:24', ['Dockerfile:1: node:24 is not pinned by digest: write node:24@sha256:…']],
    ['a short digest', 'FROM node@sha256:0e0ff4', [expect.stringContaining('node@sha256:0e0ff4')]],
    ['an argument', 'ARG A=node:24\nFROM $A AS x', [expect.stringContaining('Dockerfile:2: node:24 ')]],
    ['an argument without a default', 'ARG A\nFROM $A', [expect.stringContaining('$A is not pinned')]],
    ['behind a platform', 'FROM --platform=$BUILDPLATFORM node:24 AS x', [expect.stringContaining('node:24 ')]],
    ['in lower case', 'from node:24', [expect.stringContaining('node:24 ')]],
    ['the second of two', `FROM a@${digest} AS x\nFROM b`, [expect.stringContaining('Dockerfile:2: b ')]],
    ['a stage that comes later', `FROM x\nFROM a@${digest} AS x`, [expect.stringContaining('Dockerfile:1: x ')]],
    ['the syntax image', `# syntax=docker/dockerfile:1\nFROM a@${digest}`, [expect.stringContaining('syntax image')]],
  ])('%s', (_, text, found) => expect(unpinnedIn(text)).toEqual(found));

  it.each([
    ['a digest', `FROM node:24@${digest}`],
    ['a stage of the same file', `FROM a@${digest} AS x\nFROM x`],
    ['an argument that names a stage', `ARG A=x\nFROM a@${digest} AS x\nFROM \${A}`],
    ['nothing', 'FROM scratch'],
  ])('but not %s', (_, text) => expect(unpinnedIn(text)).toEqual([]));
});
