// A real browser for the tests: the Chromium inside an npm package, so that nothing has to be installed by hand.
import { type Browser, chromium as engine } from 'playwright-core';

/** It unpacks the libraries it needs only where it believes itself on a bare machine; set before it is loaded. */
process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs22.x';

export async function openBrowser(): Promise<Browser> {
  const { default: chromium } = await import('@sparticuz/chromium');
  const executablePath = await chromium.executablePath();
  // Without a GPU: what it would draw with is not there on a machine for tests.
  const args = [...chromium.args.filter((arg) => !arg.startsWith('--single-process')), '--disable-gpu', '--lang=en-US'];
  // A machine for tests may have no language, and browsers made of it one that does not exist.
  return engine.launch({
    executablePath,
    args,
    headless: true,
    env: { ...process.env, LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' },
  });
}
