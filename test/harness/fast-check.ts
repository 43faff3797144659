/** fast-check as the tests use it: `fc`, whose `assert` keeps to its time. */
export * as fc from './timed-fast-check.ts';
