/** Copies sandboxes with the demo business and without data from templates, which are created once, because that is slow. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from './spawn-boh.ts';

/**
 * Copies the demo business into the sandbox of a configuration folder, as the first command there would create it. Its
 * history ends with the time of this run of the tests.
 */
export function copyDemoBusiness(config: string, sandbox = 'default'): void {
  copyTemplate(config, sandbox, 'demo-business.sqlite', 'taxes list');
}

/** Copies a business that contains only its owner. */
export function copyEmptyBusiness(config: string, sandbox = 'default'): void {
  copyTemplate(config, sandbox, 'empty-business.sqlite', 'sandbox reset --empty --yes');
}

function copyTemplate(config: string, sandbox: string, name: string, line: string): void {
  const template = join(tmpdir(), name);
  if (!existsSync(template)) createTemplate(template, line);
  mkdirSync(join(config, 'sandboxes'), { recursive: true, mode: 0o700 });
  copyFileSync(template, sandboxFile(config, sandbox));
}

/** Returns the path of a sandbox in a configuration folder. */
export const sandboxFile = (config: string, sandbox = 'default') =>
  join(config, 'sandboxes', `${sandbox}.sqlite`);

/** Creates a template. Two test processes may do this at the same time; their results are equivalent. */
function createTemplate(template: string, line: string): void {
  const config = mkdtempSync(join(tmpdir(), 'boh-demo-business-'));
  const result = spawnSync(program[0], [...program.slice(1), '--sandbox', ...line.split(' ')], {
    env: { PATH: process.env.PATH, HOME: config, BOH_CONFIG_DIR: config },
    encoding: 'utf8',
  });
  if (result.status !== 0) throw new Error(`The demo business couldn't be created: ${result.stderr}`);
  renameSync(sandboxFile(config), template);
  rmSync(config, { recursive: true });
}
