/** Templates of a new sandbox with the demo business and of an empty one, made once, because making them is slow. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from './spawn-boh.ts';

/**
 * Copies the demo business into the sandbox of a configuration folder, as the first command there would create it. Its
 * history ends with the time of this run of the tests.
 */
export function putDemoBusiness(config: string, sandbox = 'default'): void {
  put(config, sandbox, 'demo-business.sqlite', 'taxes list');
}

/** Copies a business with nothing but its owner. */
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

/** Two test processes may do this at the same time: both results are equally good. */
function make(template: string, line: string): void {
  const config = mkdtempSync(join(tmpdir(), 'boh-demo-business-'));
  const ran = spawnSync(program[0], [...program.slice(1), '--sandbox', ...line.split(' ')], {
    env: { PATH: process.env.PATH, HOME: config, BOH_CONFIG_DIR: config },
    encoding: 'utf8',
  });
  if (ran.status !== 0) throw new Error(`The demo business can't be made: ${ran.stderr}`);
  renameSync(sandboxIn(config), template);
  rmSync(config, { recursive: true });
}
