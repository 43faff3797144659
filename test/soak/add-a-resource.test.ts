/** All checks and tests in a copy of the checkout to which a resource was added by the guide alone. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyCheckout, followGuide } from '../harness/copied-checkout.ts';

const checkout = mkdtempSync(join(tmpdir(), 'boh-checkout-'));
afterAll(() => rmSync(checkout, { recursive: true, force: true, maxRetries: 10 }));

beforeAll(() => {
  copyCheckout(checkout);
  followGuide(checkout);
  execFileSync(process.execPath, ['scripts/reference.ts'], { cwd: checkout, stdio: 'pipe' });
});

/** Runs a script of npm, which has to end well. */
function npm(...args: string[]): void {
  const { SOAK, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: checkout, env, encoding: 'utf8' });
  // Checks report problems at the end of stdout, tests on stderr.
  expect([status, status === 0 ? '' : stdout.slice(-5000) + stderr.slice(0, 20_000)]).toEqual([0, '']);
}

it('passes every check', () => {
  npm('run', 'check');
});

it('passes the quick tests: of the contract and of every reader', () => {
  // The one that follows the guide would add it twice.
  const others = ['--exclude=test/docs/add-a-resource.test.ts'];
  npm('test', '--', ...others);
});
