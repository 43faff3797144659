/**
 * fast-check with a time limit for randomized tests. An ordinary run tries the same values each time, so that a failure
 * belongs to the change; a soak draws new values and reports their seed. No try begins after the time limit, which is not
 * a failure, because slow machines try less. A try that hangs is a failure.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { isSoak, reportTried, seed, soakSeconds } from './repetitions.ts';

export * from 'fast-check';

/**
 * Time limit of a test in milliseconds: in an ordinary run of processor time, so that a busy machine tries as much; in a
 * soak of elapsed time.
 */
const budgetMs = isSoak ? soakSeconds() * 1000 : 400;

function usedMs(): number {
  if (isSoak) return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** In a soak the first tests of a file have the whole limit; further ones, such as one for each resource, a third. */
const testsWithFullLimit = 4;
let startedTests = 0;
let file: string | undefined;

const unlimitedRuns = 1e9;

/** Additional time limit for shrinking a failure. */
const shrinkMs = 10_000;

/** Milliseconds after which a single try counts as hanging. */
const hangMs = 240_000;

fc.configureGlobal({ seed });

/** Same as fast-check's `assert`, with the time limit. */
export function assert<Values>(
  property: fc.IAsyncProperty<Values>,
  parameters?: fc.Parameters<Values>,
): Promise<void>;
export function assert<Values>(property: fc.IProperty<Values>, parameters?: fc.Parameters<Values>): void;
export function assert<Values>(
  property: fc.IRawProperty<Values>,
  parameters: fc.Parameters<Values> = {},
): Promise<void> | void {
  const { timed: timedProperty, tries: countTries } = limitTime(property);
  const reportTries = () => reportTried({ tried: `${countTries()} values`, seed: parameters.seed ?? seed });
  const result = fc.assert(timedProperty, {
    ...(property.isAsync() && { timeout: hangMs }),
    ...parameters,
    ...(isSoak && { numRuns: unlimitedRuns }),
  });
  return result instanceof Promise ? result.then(reportTries) : reportTries();
}

function limitTime<Values>(property: fc.IRawProperty<Values>) {
  const { testPath } = expect.getState();
  if (testPath !== file) [file, startedTests] = [testPath, 0];
  const share = isSoak && ++startedTests > testsWithFullLimit ? budgetMs / 3 : budgetMs;
  let deadlineMs = usedMs() + share;
  let count = 0;
  let hasFailed = false;
  const recordOutcome = (outcome: fc.PreconditionFailure | PropertyFailure | null) => {
    const isFailure = outcome !== null && !fc.PreconditionFailure.isFailure(outcome);
    if (isFailure && !hasFailed) deadlineMs = usedMs() + shrinkMs;
    hasFailed ||= isFailure;
    return outcome;
  };
  const timedProperty: fc.IRawProperty<Values> = {
    isAsync: () => property.isAsync(),
    generate: (random, runId) => property.generate(random, runId),
    shrink: (value) => property.shrink(value),
    runBeforeEach: () => property.runBeforeEach(),
    runAfterEach: () => property.runAfterEach(),
    run(value) {
      // The first value is always tried.
      const isOver = count > 0 && usedMs() > deadlineMs;
      const outcome = isOver ? new fc.PreconditionFailure(true) : property.run(value);
      if (!isOver) count++;
      return (outcome instanceof Promise ? outcome.then(recordOutcome) : recordOutcome(outcome)) as never;
    },
  };
  return { timed: timedProperty, tries: () => count };
}

interface PropertyFailure {
  error: unknown;
}
