/** Tests that measure time, or bound it: on a busy machine they fail. They check counts, order and outcomes. */

const measures = [
  [/performance\.now\(\) - |process\.(thread)?[cC]puUsage\(|hrtime\.bigint\(\) - /, 'measures time'],
  [/\bvi\.waitFor\(|\bexpect\.poll\(/, 'waits for a second at most: until() of test/harness/until.ts waits'],
  [/\btestTimeout:|^\s*\}, [\d_]{4,}\);$|\btimeout: (?!600_000)\d[\d_]{4,}/, 'has a time-out of its own'],
] as const;

/** Files that may, with the reason. */
const mayMeasure: Record<string, string> = {
  'test/harness/until.ts': 'it is what waits',
  'test/harness/timed-fast-check.ts': 'it says how much is tried, and fails nothing',
  'test/harness/schedules/run.ts': 'it says when no further schedule begins, and fails nothing',
  'test/client/retry.test.ts': 'a lower bound: a busy machine only sleeps longer',
  'test/cli/backup-kills.test.ts': 'it says when to kill, and fails nothing',
  'test/cli/list-memory.test.ts': 'in a soak it takes half an hour',
  'test/client/process.slow.test.ts': 'it offers a connection for an hour',
};

/** Returns a sentence for each line of a test that does. Soaks and benchmarks measure. */
export function timedTests(file: string, text: string): string[] {
  if (!file.startsWith('test/') || file.startsWith('test/soak/') || !/\.ts$/.test(file)) return [];
  if (mayMeasure[file] !== undefined) return [];
  return text.split('\n').flatMap((line, index) => {
    const [, what] = measures.find(([pattern]) => pattern.test(line)) ?? [];
    return what === undefined ? [] : [`${file}:${index + 1}: ${what}.`];
  });
}
