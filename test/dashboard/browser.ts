// A real browser for the tests: the Chromium inside an npm package, so that nothing has to be installed by hand.
import { type Browser, chromium as engine } from 'playwright-core';

/** Makes the package unpack its libraries, as it does on AWS Lambda; must be set before it is loaded. */
process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs22.x';

export async function openBrowser(): Promise<Browser> {
  const { default: chromium } = await import('@sparticuz/chromium');
  const executablePath = await chromium.executablePath();
  // Test machines have no GPU.
  const args = [...chromium.args.filter((arg) => !arg.startsWith('--single-process')), '--disable-gpu', '--lang=en-US'];
  // Test machines may have no locale, which gives the browser an invalid one.
  return engine.launch({
    executablePath,
    args,
    headless: true,
    env: { ...process.env, LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' },
  });
}
