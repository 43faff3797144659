import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { program } from '../harness/spawn-boh.ts';

const suite = 'scripts/release/smoke.ts';

test('the smoke suite of installed programs: passes on the built program', () => {
  const work = mkdtempSync(join(tmpdir(), 'boh-smoke-test-'));
  onTestFinished(() => rmSync(work, { recursive: true, force: true, maxRetries: 10 }));
  const output = execFileSync(process.execPath, [suite, '--work', work, '--', ...program], {
    encoding: 'utf8',
  });
  const lines = output.trim().split('\n');
  expect(lines.length).toBeGreaterThanOrEqual(10);
  expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([]);
});

test('the smoke suite: fails for a program that only prints', () => {
  const result = () => execFileSync(process.execPath, [suite, '--', 'echo'], { stdio: 'pipe' });
  expect(result).toThrow(expect.objectContaining({ status: 1 }));
});
