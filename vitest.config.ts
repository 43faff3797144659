/** How the tests run: on a program that is built and an environment that is clean, in two parts. */
import { configDefaults, defineConfig } from 'vitest/config';

/**
 * Tests that start processes, or carry whole accounts from one place to another: files named `*.slow.test.ts`, and
 * those that run the program as it is built, as a guide or as a package. `npm test` leaves them out.
 */
const slow = ['test/**/*.slow.test.ts', 'test/{cli,docs,package,soak}/**/*.test.ts'];

const tests = ['test/**/*.test.ts'];

/** What takes minutes, or fetches tools, is for `npm run soak`. */
const forSoak = process.env.SOAK ? [] : ['test/soak/**'];

export default defineConfig({
  // As the build has it: threads that read their sources one by one take ten times as long to start.
  define: {
    BOH_WORKBOOK_WORKER: JSON.stringify('../../../dist/workbook-worker.cjs'),
    BOH_QUERY_WORKER: JSON.stringify('../../../dist/query-worker.cjs'),
  },
  test: {
    projects: [
      {
        extends: true,
        // Tests that say they may run at once do little but wait.
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
          exclude: [...configDefaults.exclude, ...forSoak],
        },
      },
    ],
    globalSetup: ['test/harness/global-setup.ts'],
    setupFiles: ['test/harness/file-setup.ts'],
    // Files share processes, as command lines do in them: a process and all modules for each would be a fifth of the time.
    isolate: false,
    // Only so that a test that hangs says which it is, also on a machine that is ten times as busy: none measures time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // By itself vitest keeps one core free, which on two cores is every other one.
    maxWorkers: '100%',
    unstubEnvs: true,
    restoreMocks: true,
  },
});
