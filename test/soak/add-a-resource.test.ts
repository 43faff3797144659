/** Runs all checks and quick tests in a copy of the checkout to which the guide has added a resource. */
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

/** Runs an npm script, which has to succeed. */
function npm(...args: string[]): void {
  const { SOAK, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: checkout, env, encoding: 'utf8' });
  // Checks report problems at the end of stdout, tests on stderr.
  expect([status, status === 0 ? '' : stdout.slice(-5000) + stderr.slice(0, 20_000)]).toEqual([0, '']);
}

it('a checkout with an added resource: passes every check', () => {
  npm('run', 'check');
});

it('a checkout with an added resource: passes the quick tests', () => {
  // Excludes the test that follows the guide, which would add the resource twice.
  const excludedTests = ['--exclude=test/docs/add-a-resource.test.ts'];
  npm('test', '--', ...excludedTests);
});
