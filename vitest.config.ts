import { defineConfig } from 'vitest/config';

/** Where .ci/run wants the numbers of the tests; people need no such file. */
const summary = process.env.TEST_SUMMARY;

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'dashboard/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 300_000,
    // Some hooks build the program, which takes longer than 10 s on a loaded machine.
    hookTimeout: 300_000,
    reporters: summary ? ['default', ['json', { outputFile: summary }]] : ['default'],
  },
});
