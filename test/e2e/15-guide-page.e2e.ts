// docs/guide/beside-karpenter.md, followed word by word: every command is run in order and prints what the page shows.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoCluster } from '../cluster/binaries.ts';
import { contextOf } from '../cluster/keys.ts';
import { root } from '../cluster/places.ts';
import { firstMissing, readPage, type Step } from './guide/page.ts';
import { type Running, Terminal } from './guide/terminal.ts';

const name = 'e2e-guide-page';
const folder = mkdtempSync(join(tmpdir(), 'lull-guide-'));
const steps = readPage(readFileSync(join(root, 'docs/guide/beside-karpenter.md'), 'utf8'));
const usualPort = 7727;

describe.skipIf(whyNoCluster() !== undefined)('docs/guide/beside-karpenter.md', () => {
  const first = new Terminal();
  const others = new Map<string, Running>();
  let isBusy = false;
  let hasFailed = false;

  beforeAll(async () => {
    isBusy = await answers(usualPort);
  });
  afterAll(async () => {
    for (const running of others.values()) running.kill();
    await first.type(`npm run -s cluster:down -- --name ${name}`);
    first.close();
    rmSync(folder, { recursive: true });
  });

  /** Apart from everything else on this machine: another name, another folder for the recording, and no other Lull. */
  const asTyped = (script: string): string => {
    const mine = script.replaceAll('--name try', `--name ${name}`).replaceAll('day.gz', join(folder, 'day.gz'));
    return isBusy ? mine.replaceAll(/\blull (why|pause|resume)\b/g, `lull $1 --context ${contextOf(name)}`) : mine;
  };

  /** Waits until everything shown on the page is printed. */
  const until = async (look: () => Promise<string> | string, { shown, until: seconds = 30 }: Step): Promise<void> => {
    const end = performance.now() + seconds * 1000;
    for (;;) {
      const printed = await look();
      const missing = firstMissing(shown, printed);
      if (missing === undefined) return;
      if (performance.now() > end) throw new Error(`Not within ${seconds} s: ${missing}\n\n${printed}`);
      await setTimeout(300);
    }
  };

  const take = async (step: Step): Promise<void> => {
    if (step.interrupts !== undefined) {
      const { code, printed } = (await others.get(step.interrupts)?.interrupt()) ?? {
        code: -1,
        printed: 'never begun',
      };
      expect(code, printed).toBe(0);
      return;
    }
    const script = asTyped(step.script);
    if (step.terminal !== undefined) {
      const running = await first.open(script);
      others.set(step.terminal, running);
      await until(() => running.printed, step);
      return;
    }
    if (step.until !== undefined) {
      await until(async () => (await first.type(script)).printed, step);
      return;
    }
    const { code, printed } = await first.type(script);
    expect(code, printed).toBe(0);
    expect(firstMissing(step.shown, printed), printed).toBe(undefined);
  };

  it.each(steps.map((step) => ({ step, title: titleOf(step) })))('$title', async ({ step }) => {
    if (hasFailed) throw new Error('A step before this one failed.');
    hasFailed = true;
    await take(step);
    if (step.script.startsWith('lull release')) await nothingIsLeft(first);
    hasFailed = false;
  });
});

const titleOf = ({ heading, line, script, interrupts }: Step): string =>
  `${heading} (line ${line}): ${interrupts === undefined ? script.trim().split('\n')[0] : 'Ctrl-C'}`;

/** The marks of Lull in the cluster (N10), from the API server. */
async function nothingIsLeft(terminal: Terminal): Promise<void> {
  const { printed } = await terminal.type('kubectl get nodes,nodeclaims,pods -A -o json');
  expect(printed).toContain('kwok-web-');
  expect(printed).not.toContain('lull.dev/');
  expect(printed).not.toContain('karpenter.sh/do-not-disrupt');
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
