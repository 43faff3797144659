/** How the tests run: on a program that is built and an environment that is clean, in two parts. */
import { configDefaults, defineConfig } from 'vitest/config';

/** What a test sees of a few records within its own process: `npm test` runs it, and nothing else. */
const quick = ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts'];

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
        test: { name: 'quick', include: quick, maxConcurrency: 40 },
      },
      {
        extends: true,
        test: {
          name: 'thorough',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...quick, ...forSoak],
        },
      },
    ],
    globalSetup: ['test/harness/before-all.ts'],
    setupFiles: ['test/harness/each-file.ts'],
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
