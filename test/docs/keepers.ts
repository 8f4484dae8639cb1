// Which test covers a code block of the docs: the walk, or a separate test.
import type { Block } from './blocks.ts';

export interface Keeper {
  readonly page: RegExp;
  readonly languages: readonly string[];
  readonly test: string;
  /** The text by which the test refers to the page, to notice a test that changes to another page. */
  readonly says: string;
  readonly how: string;
}

export const keepers: readonly Keeper[] = [
  {
    page: /^docs\/guide\/cookbook\.md$/,
    languages: ['yaml', 'console'],
    test: 'test/cookbook/page.ts',
    says: 'docs/guide/cookbook.md',
    how: 'each recipe is linted, and decided on a cluster at the moments its claims name',
  },
  {
    page: /^docs\/guide\/beside-karpenter\.md$/,
    languages: ['sh', 'text'],
    test: 'test/e2e/15-guide-page.e2e.ts',
    says: 'docs/guide/beside-karpenter.md',
    how: 'typed from top to bottom against a real API server and a real Karpenter',
  },
  {
    page: /^docs\/guide\/library\.md$/,
    languages: ['js', 'text', 'sh'],
    test: 'test/package/package.test.ts',
    says: "'library.md'",
    how: 'the package is installed into an empty folder, and the examples run there',
  },
  {
    page: /^docs\/guide\/installing\.md$/,
    languages: ['yaml'],
    test: 'test/chart/page.test.ts',
    says: "'installing.md'",
    how: 'rendered by Helm with the chart',
  },
  {
    page: /^docs\/guide\/runbook\.md$/,
    languages: ['sh'],
    test: 'test/monitoring/runbook.test.ts',
    says: 'docs/guide/runbook.md',
    how: 'commands that query a Lull are run against a paused demo; kubectl and the flags of the others are checked',
  },
  {
    page: /^docs\/guide\/consolidation\.md$/,
    languages: ['yaml'],
    test: 'test/docs/consolidation.test.ts',
    says: 'docs/guide/consolidation.md',
    how: 'read as settings',
  },
  {
    page: /^docs\/reference\/lint\.md$/,
    languages: ['yaml'],
    test: 'src/lint/allRules.test.ts',
    says: 'exampleOf(rule.name)',
    how: 'each is the example of a rule, in which the rule finds something; the page is generated from them',
  },
  {
    page: /^docs\/reference\/cli\.md$/,
    languages: ['text'],
    test: 'test/reference/reference.test.ts',
    says: 'docs/reference',
    how: 'what --help prints; the page is compared with what the code makes',
  },
];

export const keeperOf = ({ page, language }: Block): Keeper | undefined =>
  keepers.find((keeper) => keeper.page.test(page) && keeper.languages.includes(language));
