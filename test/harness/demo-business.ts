/** The demo business as a new sandbox holds it, made once for all tests: to make it takes longer than most of them. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from './spawn-boh.ts';

/**
 * Puts it into the sandbox of a configuration folder, as the first command there would: for tests that are not about
 * that. Its past ends with the run of the tests.
 */
export function putDemoBusiness(config: string): void {
  const template = join(tmpdir(), 'demo-business.sqlite');
  if (!existsSync(template)) make(template);
  mkdirSync(join(config, 'sandboxes'), { recursive: true, mode: 0o700 });
  copyFileSync(template, sandboxIn(config));
}

const sandboxIn = (config: string) => join(config, 'sandboxes', 'default.sqlite');

/** Two processes of tests may do this at once: either is as good. */
function make(template: string): void {
  const config = mkdtempSync(join(tmpdir(), 'boh-demo-business-'));
  const ran = spawnSync(program[0], [...program.slice(1), '--sandbox', 'taxes', 'list'], {
    env: { PATH: process.env.PATH, HOME: config, BOH_CONFIG_DIR: config },
    encoding: 'utf8',
  });
  if (ran.status !== 0) throw new Error(`The demo business can’t be made: ${ran.stderr}`);
  renameSync(sandboxIn(config), template);
  rmSync(config, { recursive: true });
}
