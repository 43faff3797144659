/** The demo business as a new sandbox holds it, and an empty one, made once for all tests: to make them takes longer than most of those. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from './spawn-boh.ts';

/**
 * Puts it into the sandbox of a configuration folder, as the first command there would: for tests that are not about
 * that. Its past ends with the run of the tests.
 */
export function putDemoBusiness(config: string, sandbox = 'default'): void {
  put(config, sandbox, 'demo-business.sqlite', 'taxes list');
}

/** The same with nothing but its owner. */
export function putEmptyBusiness(config: string, sandbox = 'default'): void {
  put(config, sandbox, 'empty-business.sqlite', 'sandbox reset --empty --yes');
}

function put(config: string, sandbox: string, name: string, line: string): void {
  const template = join(tmpdir(), name);
  if (!existsSync(template)) make(template, line);
  mkdirSync(join(config, 'sandboxes'), { recursive: true, mode: 0o700 });
  copyFileSync(template, sandboxIn(config, sandbox));
}

export const sandboxIn = (config: string, sandbox = 'default') =>
  join(config, 'sandboxes', `${sandbox}.sqlite`);

/** Two processes of tests may do this at once: either is as good. */
function make(template: string, line: string): void {
  const config = mkdtempSync(join(tmpdir(), 'boh-demo-business-'));
  const ran = spawnSync(program[0], [...program.slice(1), '--sandbox', ...line.split(' ')], {
    env: { PATH: process.env.PATH, HOME: config, BOH_CONFIG_DIR: config },
    encoding: 'utf8',
  });
  if (ran.status !== 0) throw new Error(`The demo business can’t be made: ${ran.stderr}`);
  renameSync(sandboxIn(config), template);
  rmSync(config, { recursive: true });
}
