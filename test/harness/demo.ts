/** Runs the built program in a sandbox with the demo business, one for each test file. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyDemoBusiness } from './demo-business.ts';
import { shareCompileCache } from './home-folder.ts';
import { runLine } from './run-line.ts';
import { type ProcessResult, quotedProgram } from './spawn-boh.ts';
import { openTerminal, type Terminal, type TerminalOptions } from './terminal.ts';

export interface Demo {
  /** All files that the program writes are in this folder. */
  folder: string;
  /** Runs a command without a terminal, in this process. Splits the line into words at spaces. */
  boh(line: string): Promise<Omit<ProcessResult, 'signal'>>;
  /** Runs a command with `--json` and returns the value that it prints. */
  json<Value>(line: string): Promise<Value>;
  /** Runs a command line of the shell on a terminal, in which `boh` is the program. */
  terminal(line: string, options?: TerminalOptions): Terminal;
  remove(): void;
}

export function startDemo(): Demo {
  const folder = mkdtempSync(join(tmpdir(), 'boh-demo-'));
  const program = join(folder, 'boh');
  writeFileSync(program, `#!/bin/sh\nexec ${quotedProgram} "$@"\n`);
  chmodSync(program, 0o755);
  shareCompileCache(join(folder, 'cache'));
  const env = {
    HOME: folder,
    TMPDIR: folder,
    PATH: `${folder}:${process.env.PATH}`,
    BOH_CONFIG_DIR: join(folder, 'config'),
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_CACHE_HOME: join(folder, 'cache'),
  };
  copyDemoBusiness(env.BOH_CONFIG_DIR);
  const boh = (line: string) => runLine(['--sandbox', ...line.split(' ')], { env });
  return {
    folder,
    boh,
    json: async (line) => JSON.parse((await boh(`${line} --json`)).stdout),
    terminal: (line, options = {}) => openTerminal(line, { ...options, env: { ...env, ...options.env } }),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}
