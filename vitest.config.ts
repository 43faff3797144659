/** How the tests run: every test file in a process of its own, on a program that is built and an environment that is clean. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/before-all.ts'],
    unstubEnvs: true,
    restoreMocks: true,
  },
});
