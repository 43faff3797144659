/** How the tests run: every test file in a process of its own, on a program that is built and an environment that is clean. */
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // What takes minutes, or fetches tools, is for `npm run soak`.
    exclude: [...configDefaults.exclude, ...(process.env.SOAK ? [] : ['test/soak/**'])],
    globalSetup: ['test/harness/before-all.ts'],
    // Only so that a test that hangs says which it is: what has to be quick measures it itself.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many a test waits: for a process, a terminal, a pause. By itself vitest keeps one core free besides.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    unstubEnvs: true,
    restoreMocks: true,
  },
});
