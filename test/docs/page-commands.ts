/** Runs the commands of a documentation page unchanged, in one folder and against one sandbox. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { shareCompileCache } from '../harness/home-folder.ts';
import { quotedProgram } from '../harness/spawn-boh.ts';
import { type RunningBoh, startBoh } from '../harness/start-boh.ts';

/** Returns the text of a page in docs/. */
export function readPage(name: string): string {
  return readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
}

/** The environment of the commands of a page: a folder with the program on the path, and the account of a served sandbox. */
export interface PageWorkspace {
  folder: string;
  env: Record<string, string>;
  close(): Promise<void>;
}

/** Serves a sandbox and creates the folder. */
export async function openPageWorkspace(): Promise<PageWorkspace> {
  const folder = mkdtempSync(join(tmpdir(), 'boh-page-'));
  const program = join(folder, 'boh');
  writeFileSync(program, `#!/bin/sh\nexec ${quotedProgram} "$@"\n`);
  chmodSync(program, 0o755);
  // A page installs boh with npm.
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/boh'));
  shareCompileCache(join(folder, '.cache'));
  const folderEnv = { BOH_CONFIG_DIR: join(folder, 'config'), HOME: folder };
  const server: RunningBoh = startBoh(
    ['sandbox', 'serve', '--memory', '--port', '0', '-o', 'json'],
    folderEnv,
  );
  const [line = ''] = await server.waitForStdout(/^\{.*\}$/m);
  const { base_url, token } = JSON.parse(line);
  const path = `${folder}${delimiter}${process.env.PATH ?? ''}`;
  return {
    folder,
    env: { ...folderEnv, PATH: path, BOH_BASE_URL: base_url, BOH_TOKEN: token },
    close: async () => {
      server.kill('SIGTERM');
      await server.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Declares a test for every shell block of a page, in order. Call it inside `describe`. A comment such as
 * `<!-- clock: 2027-02-08 01:00 -->` before a block sets the clock of its programs, in UTC.
 */
export function testCommandsOf(page: string, { nights = 1 } = {}): void {
  const matches = page.matchAll(/^(?:<!-- clock: (.*?) -->\n)?```sh\n(.*?)^```$/gms);
  const blocks = [...matches].map(([, time, block = '']) => [block.split('\n')[0], block, time] as const);
  let workspace: PageWorkspace;
  let clock: Record<string, string> = {};
  beforeAll(async () => {
    workspace = await openPageWorkspace();
    if (blocks.every(([, , time]) => time === undefined)) return;
    const shim = new URL('../harness/test-clock.js', import.meta.url).href;
    clock = { NODE_OPTIONS: `--import=${shim}`, TEST_CLOCK: join(workspace.folder, 'clock') };
  });
  afterAll(() => workspace.close());

  it('are found on the page', () => {
    expect(blocks.length).toBeGreaterThan(5);
  });

  const runs = Array.from({ length: nights }, (_, night) =>
    blocks.map((block) => [...block, night + 1] as const),
  );
  it.each(runs.flat())('%s', async (_, block, time) => {
    if (time !== undefined) writeFileSync(join(workspace.folder, 'clock'), `${time.replace(' ', 'T')}Z`);
    const child = spawn('sh', ['-euc', addExitCodeChecks(block)], {
      env: { ...workspace.env, ...clock },
      cwd: workspace.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    const [stderr] = await Promise.all([text(child.stderr), text(child.stdout)]);
    expect([await ended, stderr]).toEqual([0, expect.anything()]);
    // A failure inside a pipe does not end the shell, but prints an error.
    const expected = block.match(/# exit [1-9]/g) ?? [];
    expect(stderr.match(/^(boh: (?!warning)|sh: ).*/gm) ?? []).toHaveLength(expected.length);
  });
}

/** Adds a check to a command whose exit code the page gives. */
function addExitCodeChecks(block: string): string {
  return block.replaceAll(
    /^(boh (?:.*\\\n)*.*?)\s+# exit (\d+)$/gm,
    (_, command: string, code: string) => `got=0; ${command} || got=$?; test "$got" = ${code}`,
  );
}
