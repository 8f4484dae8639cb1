import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { whyNoAws } from './test/cluster/aws/start.ts';
import { whyNoCluster } from './test/cluster/binaries.ts';

const summary = process.env.TEST_SUMMARY;
const why = whyNoCluster();
// A line for each test that is skipped would hide the one that says why.
const reporter = why ? 'default' : 'verbose';
// Other tools read this file too, and say something else.
const reasons = [why, why ? undefined : whyNoAws()].filter((reason) => reason !== undefined);
if (process.argv[1]?.includes('vitest')) for (const reason of reasons) process.stderr.write(`test:e2e: ${reason}\n`);

/** Later stories rest on what earlier ones show: what fails first is the cause. */
class ByName extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => (one.moduleId < other.moduleId ? -1 : 1));
  }
}

/** Stories mostly wait for Karpenter, which looks every ten seconds, so a few are told at once, each on a cluster of its own. */
const atOnce = 3;

const shared = { sequence: { sequencer: ByName }, testTimeout: 600_000, hookTimeout: 300_000, teardownTimeout: 60_000 };

/** What it reads is what the stories left. */
const last = 'test/e2e/90-*.e2e.ts';

export default defineConfig({
  test: {
    maxWorkers: atOnce,
    reporters: summary ? [reporter, ['json', { outputFile: summary }]] : [reporter],
    projects: [
      {
        test: {
          ...shared,
          name: 'stories',
          include: ['test/e2e/**/*.e2e.ts'],
          exclude: [last],
          sequence: { ...shared.sequence, groupOrder: 0 },
        },
      },
      { test: { ...shared, name: 'last', include: [last], sequence: { ...shared.sequence, groupOrder: 1 } } },
    ],
  },
});
