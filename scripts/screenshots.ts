// Takes the screenshots in docs/images: the demo, stopped where there is much to see. `npm run screenshots`
import { mkdirSync } from 'node:fs';
import { asDuration, second } from '../src/time/instant.ts';
import { openBrowser } from '../test/dashboard/browser.ts';
import { openDemo } from '../test/dashboard/stage.ts';
import { visit } from '../test/dashboard/visit.ts';
import { buildDashboard } from './buildDashboard.ts';

const folder = 'docs/images';
const pictures = [
  { path: '/', name: 'cluster', shows: 'Rolling web', colorScheme: 'light' },
  { path: '/?node=ml-1', name: 'node', shows: 'Lifts', colorScheme: 'dark' },
  { path: '/roll', name: 'roll', shows: 'simulated runs', colorScheme: 'light' },
  { path: '/time?span=1w', name: 'time', shows: 'ml/trainer', colorScheme: 'dark' },
  { path: '/what-if', name: 'what-if', shows: 'one zone after another', colorScheme: 'light' },
  { path: '/history', name: 'history', shows: 'Changes', colorScheme: 'dark' },
] as const;

await buildDashboard();
mkdirSync(folder, { recursive: true });
const browser = await openBrowser();
const demo = await openDemo();
// By then the second zone has the turn, and the first is done.
await demo.play(asDuration(170 * second));
for (const { path, name, shows, colorScheme } of pictures) {
  const { page, close } = await visit(browser, demo.url + path, {
    colorScheme,
    viewport: { width: 1280, height: 760 },
  });
  await page.getByText(shows).filter({ visible: true }).first().waitFor();
  if (name === 'what-if') await tryFreeze(page);
  if (name === 'history')
    await page.getByRole('region', { name: 'Previous rounds' }).getByRole('button').first().click();
  await page.screenshot({ path: `${folder}/${name}.png` });
  console.log(`${folder}/${name}.png`);
  await close();
}
await demo.close();
await browser.close();

async function tryFreeze(page: Awaited<ReturnType<typeof visit>>['page']): Promise<void> {
  const editor = page.getByLabel('Policy (YAML)');
  const freeze =
    'apiVersion: karpenter.sh/v1alpha1\nkind: MaintenanceWindow\nmetadata:\n  name: sale\nspec:\n  notAfter: 2026-11-22T06:00:00Z\n  note: midnight sale, ask Ann\n';
  await editor.fill(`${freeze}---\n${await editor.inputValue()}`);
  await page.getByText(/would change/).waitFor();
  await page
    .getByText(/later than now/)
    .first()
    .waitFor();
}
