// Visits a page in a fresh browser context and records what must not happen: errors and requests to other hosts.
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export interface Visit {
  readonly page: Page;
  /** Errors, and requests to other hosts. */
  readonly troubles: string[];
  close(): Promise<void>;
}

export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const troubles: string[] = [];
  const { origin } = new URL(url);
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const { protocol, origin: other } = new URL(request.url());
    if (/^https?:$/.test(protocol) && other !== origin) troubles.push(`asks elsewhere: ${request.url()}`);
  });
  await page.goto(url);
  return { page, troubles, close: () => context.close() };
}

/** What axe-core finds, one line each. */
export async function findBarriers(page: Page): Promise<string[]> {
  // Playwright evaluates outside the page's content security policy, so that no exception is needed.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: run } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; any: { message: string }[] }[] }[] }> };
    };
    const { violations } = await run.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`),
    );
  });
}
