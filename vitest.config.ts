/** Configures Vitest: a setup that builds the program and clears the environment, and two projects, `quick` and `slow`. */
import { configDefaults, defineConfig } from 'vitest/config';

/**
 * The tests that start processes or copy whole accounts: files named `*.slow.test.ts`, and the tests of the built
 * program, the guides and the package. `npm test` excludes them.
 */
const slow = ['test/**/*.slow.test.ts', 'test/{cli,docs,package,soak}/**/*.test.ts'];

const tests = ['test/**/*.test.ts'];

/** These tests take minutes or download tools. Only `npm run soak` runs them. */
const soakTests = process.env.SOAK ? [] : ['test/soak/**'];

export default defineConfig({
  // Worker threads run the bundled files: starting them from their sources takes ten times as long.
  define: {
    BOH_WORKBOOK_WORKER: JSON.stringify('../../../../dist/workbook-worker.cjs'),
    BOH_QUERY_WORKER: JSON.stringify('../../../../dist/query-worker.cjs'),
  },
  test: {
    projects: [
      {
        extends: true,
        // Concurrent tests mostly wait, so many of them run at the same time.
        test: {
          name: 'quick',
          include: tests,
          exclude: [...configDefaults.exclude, ...slow],
          maxConcurrency: 40,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: slow,
          exclude: [...configDefaults.exclude, ...soakTests],
        },
      },
    ],
    // Without a terminal, only failures and the sums, so that they are found in a log.
    reporters: process.stdout.isTTY ? ['default'] : ['minimal'],
    globalSetup: ['test/harness/global-setup.ts'],
    setupFiles: ['test/harness/file-setup.ts'],
    // Test files share processes: starting a process and loading all modules for each file takes a fifth of the time.
    isolate: false,
    // These limits only report hanging tests, also on a machine that is ten times as busy. No test measures time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // By default Vitest leaves one core unused, which is half of a machine with two cores.
    maxWorkers: '100%',
    unstubEnvs: true,
    restoreMocks: true,
  },
});
