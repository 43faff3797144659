/**
 * fast-check, but that a randomised test keeps to its time. In an ordinary run it tries the same values each time, so
 * that a change is judged by itself; a soak draws new ones and tells their seed. Once the time is over no further try
 * begins: what a machine with much to do can't try is no failure. A try that hangs is one.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { isSoak, seed, soakSeconds, tell } from './rounds.ts';

export * from 'fast-check';

/**
 * Milliseconds that a test may go on trying: in the ordinary run of the processor, so that it tries as much where others
 * have work, too; in a soak of the clock.
 */
const budgetMs = isSoak ? soakSeconds() * 1000 : 400;

function spentMs(): number {
  if (isSoak) return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** In a soak the first of a file have all of that; where there are more, one for each resource and the like, a third. */
const firstInFile = 4;
let begun = 0;
let file: string | undefined;

const untilTimeIsOver = 1e9;

/** As long again to make what failed as small as can be. */
const shrinkMs = 10_000;

/** Milliseconds after which a single try counts as one that hangs. */
const hangMs = 240_000;

fc.configureGlobal({ seed });

/** The same as fast-check's own, within its time. */
export function assert<Values>(
  property: fc.IAsyncProperty<Values>,
  parameters?: fc.Parameters<Values>,
): Promise<void>;
export function assert<Values>(property: fc.IProperty<Values>, parameters?: fc.Parameters<Values>): void;
export function assert<Values>(
  property: fc.IRawProperty<Values>,
  parameters: fc.Parameters<Values> = {},
): Promise<void> | void {
  const { timed, tries } = withinTime(property);
  const told = () => tell({ tried: `${tries()} values`, seed: parameters.seed ?? seed });
  const ended = fc.assert(timed, {
    ...(property.isAsync() && { timeout: hangMs }),
    ...parameters,
    ...(isSoak && { numRuns: untilTimeIsOver }),
  });
  return ended instanceof Promise ? ended.then(told) : told();
}

function withinTime<Values>(property: fc.IRawProperty<Values>) {
  const { testPath } = expect.getState();
  if (testPath !== file) [file, begun] = [testPath, 0];
  const share = isSoak && ++begun > firstInFile ? budgetMs / 3 : budgetMs;
  let until = spentMs() + share;
  let count = 0;
  let hasFailed = false;
  const noted = (outcome: fc.PreconditionFailure | PropertyFailure | null) => {
    const isFailure = outcome !== null && !fc.PreconditionFailure.isFailure(outcome);
    if (isFailure && !hasFailed) until = spentMs() + shrinkMs;
    hasFailed ||= isFailure;
    return outcome;
  };
  const timed: fc.IRawProperty<Values> = {
    isAsync: () => property.isAsync(),
    generate: (random, runId) => property.generate(random, runId),
    shrink: (value) => property.shrink(value),
    runBeforeEach: () => property.runBeforeEach(),
    runAfterEach: () => property.runAfterEach(),
    run(value) {
      // The first is always tried.
      const isOver = count > 0 && spentMs() > until;
      const outcome = isOver ? new fc.PreconditionFailure(true) : property.run(value);
      if (!isOver) count++;
      return (outcome instanceof Promise ? outcome.then(noted) : noted(outcome)) as never;
    },
  };
  return { timed, tries: () => count };
}

interface PropertyFailure {
  error: unknown;
}
