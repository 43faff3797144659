/**
 * Runs schedules in which two users and a cron job write to one account at once. A seed determines the order of every
 * request, response, timer and disk write, and the faults. docs/explanation/reliability.md lists the guarantees that
 * each schedule must keep.
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isSoak, reportTried, seed, soakSeconds } from '../harness/repetitions.ts';
import type { SchedulesResult } from '../harness/schedules/run.ts';

const program = fileURLToPath(new URL('../harness/schedules/run.ts', import.meta.url));

/** Runs schedules in a separate process, up to the first failure. */
async function runSchedules(seeds: readonly number[], ...flags: string[]): Promise<SchedulesResult> {
  const child = spawn(process.execPath, [program, ...seeds.map(String), ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

/** Returns a message about each failed schedule, with the command that repeats it; '' if none failed. */
function failureIn({ schedules }: SchedulesResult): string {
  return schedules
    .filter(({ problems }) => problems.length > 0)
    .map(
      ({ seed, digest, problems }) =>
        `Schedule ${seed} (digest ${digest}) did not hold. The same again: SOAK_SEED=${seed} npm run soak -- schedules\n${problems.join('\n')}`,
    )
    .join('\n');
}

describe('schedules of two users and a cron job', () => {
  test('in any order and with any fault: all guarantees hold', async () => {
    const result = await runSchedules(
      [seed],
      ...(isSoak ? ['--seconds', String(soakSeconds(20))] : ['--count', '3']),
    );
    const { schedules, steps, stepsPerMinute } = result;
    if (isSoak) {
      for (const { seed, steps, digest } of [schedules.at(0), schedules.at(-1)].filter(
        (schedule) => schedule !== undefined,
      ))
        process.stdout.write(`Schedule ${seed}: ${steps} steps, digest ${digest}.\n`);
    }
    reportTried({
      tried: `${schedules.length} schedules, ${steps} steps, ${stepsPerMinute} steps a minute, first digest ${schedules[0]?.digest}`,
      seed,
    });
    expect(failureIn(result)).toBe('');
  });

  test('the same seed: gives the same schedule, also in another process; another seed gives another schedule', async () => {
    const { schedules } = await runSchedules([12, 11, 12]);
    const [firstSchedule, otherSchedule, repeatedSchedule] = schedules.map(({ steps, digest }) => ({
      steps,
      digest,
    }));
    expect(repeatedSchedule).toEqual(firstSchedule);
    const otherProcess = await runSchedules([12]);
    expect(otherProcess.schedules[0]).toMatchObject({ ...firstSchedule });
    expect(otherSchedule?.digest).not.toBe(firstSchedule?.digest);
  });

  test('a connection that repeats a POST after its response was lost: is detected, also with the same seed again', async () => {
    const result = await runSchedules([1], '--count', '20', '--resending');
    const { seed = 0, digest, problems } = result.schedules.at(-1) ?? {};
    // Depending on the order of events, the history or the records show the second write first.
    expect(problems).toContainEqual(
      expect.stringMatching(/^(2 records have the same key|The history has .* writes)/),
    );
    expect(failureIn(result)).toContain(`SOAK_SEED=${seed} npm run soak -- schedules`);
    const repeatResult = await runSchedules([seed], '--resending');
    expect(repeatResult.schedules[0]).toMatchObject({ seed, digest, problems });
    expect(failureIn(await runSchedules([seed]))).toBe('');
  });
});
