/** Exports fast-check with an `assert` that observes a time limit. */
export * as fc from './timed-fast-check.ts';
