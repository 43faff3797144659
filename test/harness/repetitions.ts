/** Sets the number of repetitions of randomized and repeated tests: a few in an ordinary run, many in `npm run soak`. */
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect } from 'vitest';

/** Whether this is `npm run soak`. */
export const isSoak = process.env.SOAK !== undefined;

/** The seed of random values: new in each soak unless SOAK_SEED sets it, and constant in ordinary runs. */
export const seed = isSoak ? Number(process.env.SOAK_SEED ?? Date.now() % 2 ** 31) : 20_261_120;

/** Returns for how many seconds a soak repeats a test: SOAK_SECONDS or the default. */
export function soakSeconds(defaultSeconds = 2): number {
  return Number(process.env.SOAK_SECONDS ?? defaultSeconds);
}

const soakFactor = 34;

/** Returns the number of repetitions: `count` in an ordinary run, `soakCount` in a soak. */
export function repetitions(count: number, soakCount = count * soakFactor): number {
  return isSoak ? soakCount : count;
}

/** Time limit in milliseconds of a test with many repetitions; longer in a soak. */
export const repetitionsTimeoutMs = isSoak ? 900_000 : 300_000;

/** The number of cases of a test, for the report at the end of the soak. */
export interface SoakReportLine {
  file: string;
  title: string;
  /** A description if it is more than a count: "102 kills of an import". */
  tried: string;
  /** The seed that reproduces the random values. */
  seed?: number;
}

/** Adds the number of cases of the running test to the report of the soak. Does nothing in an ordinary run. */
export function reportTried({ tried, seed }: Pick<SoakReportLine, 'tried' | 'seed'>): void {
  const { SOAK_REPORT: report } = process.env;
  if (!report) return;
  const { testPath = '', currentTestName = '' } = expect.getState();
  const line: SoakReportLine = {
    file: relative('.', testPath),
    title: currentTestName,
    tried,
    ...(seed !== undefined && { seed }),
  };
  appendFileSync(report, `${JSON.stringify(line)}\n`);
}

/** Returns a third of the values in an ordinary run, another one for each index, and all of them in a soak. */
export function sampleOf(all: readonly string[], index: number): readonly string[] {
  return isSoak ? all : all.filter((_, position) => position % 3 === index % 3);
}
