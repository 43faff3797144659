/** Finds tests that measure or limit time, because they fail on a busy machine. Tests check counts, order and outcomes. */

const patterns = [
  [/performance\.now\(\) - |process\.(thread)?[cC]puUsage\(|hrtime\.bigint\(\) - /, 'measures time'],
  [
    /\bvi\.waitFor\(|\bexpect\.poll\(/,
    'waits for at most a second: use waitUntil() of test/harness/wait-until.ts',
  ],
  [/\btestTimeout:|^\s*\}, [\d_]{4,}\);$|\btimeout: (?!600_000)\d[\d_]{4,}/, 'sets a timeout'],
] as const;

/** Files in which this is allowed, with the reason. */
const allowedFiles: Record<string, string> = {
  'test/harness/wait-until.ts': 'it implements the waiting',
  'test/harness/timed-fast-check.ts': 'it limits the number of cases, and no test fails on it',
  'test/harness/schedules/run.ts': 'it limits the number of schedules, and no test fails on it',
  'test/client/retry.test.ts': 'it checks a minimum: a busy machine only sleeps longer',
  'test/cli/backup-kills.test.ts': 'it sets the time of a kill, and no test fails on it',
  'test/cli/list-memory.test.ts': 'it takes half an hour in a soak',
  'test/client/process.slow.test.ts': 'its server keeps a connection open for an hour',
};

/** Returns a message for each line of a test that measures or limits time. Soaks and benchmarks may measure it. */
export function timedTests(file: string, text: string): string[] {
  if (!file.startsWith('test/') || file.startsWith('test/soak/') || !/\.ts$/.test(file)) return [];
  if (allowedFiles[file] !== undefined) return [];
  return text.split('\n').flatMap((line, index) => {
    const [, message] = patterns.find(([pattern]) => pattern.test(line)) ?? [];
    return message === undefined ? [] : [`${file}:${index + 1}: ${message}.`];
  });
}
