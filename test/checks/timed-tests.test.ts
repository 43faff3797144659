/** The check for tests that measure time in `npm run check`. */
import { expect, test } from 'vitest';
import { timedTests } from '../../scripts/checks/timed-tests.ts';

// Built from parts, because the check also reads this file.
const lines = [
  ['performance.now()', '- began'],
  ['process.cpu', 'Usage(before)'],
  ['await vi.wait', 'For(() => {})'],
  ['expect.po', 'll(look)'],
  ['vi.setConfig({ testTime', 'out: 20_000 });'],
  ['}, 60', '_000);'],
].map((parts) => parts.join(parts[0] === 'performance.now()' ? ' ' : ''));

test.each(lines)('timed tests: %s is reported in a test, and not in a soak or a benchmark', (line) => {
  const text = `first\n${line}\n`;
  expect(timedTests('test/client/a.test.ts', text)).toEqual([
    expect.stringMatching(/^test\/client\/a\.test\.ts:2: /),
  ]);
  for (const file of ['test/soak/a.test.ts', 'scripts/bench/a.ts', 'src/a.ts'])
    expect(timedTests(file, text)).toEqual([]);
});
