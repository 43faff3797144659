/** How often a randomized or repeated test runs: a few times ordinarily, many times in `npm run soak`, which reports how often. */
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect } from 'vitest';

/** Whether this is `npm run soak`. */
export const isSoak = process.env.SOAK !== undefined;

/** What is drawn follows from it: another one in each soak unless SOAK_SEED says which, and the same in every ordinary run. */
export const seed = isSoak ? Number(process.env.SOAK_SEED ?? Date.now() % 2 ** 31) : 20_261_120;

/** Returns for how many seconds a soak repeats a test: SOAK_SECONDS, or what is usual for it. */
export function soakSeconds(usual = 2): number {
  return Number(process.env.SOAK_SECONDS ?? usual);
}

const factor = 34;

/** `few` in the ordinary run, in a soak `many`: 34 times as many where nothing else is said. */
export function rounds(few: number, many = few * factor): number {
  return isSoak ? many : few;
}

/** Milliseconds after which a test with more rounds hangs: no sooner than any other, and in a soak much later. */
export const patience = isSoak ? 900_000 : 300_000;

/** What a test of the soak has tried, for the list at its end. */
export interface Tried {
  file: string;
  title: string;
  /** In words where it is more than a count: "102 kills of an import". */
  tried: string;
  /** Of what was drawn; the same seed draws the same again. */
  seed?: number;
}

/** Tells the soak what the test that is running has tried; the ordinary run keeps it to itself. */
export function tell({ tried, seed }: Pick<Tried, 'tried' | 'seed'>): void {
  const { SOAK_REPORT: report } = process.env;
  if (!report) return;
  const { testPath = '', currentTestName = '' } = expect.getState();
  const line: Tried = {
    file: relative('.', testPath),
    title: currentTestName,
    tried,
    ...(seed !== undefined && { seed }),
  };
  appendFileSync(report, `${JSON.stringify(line)}\n`);
}
