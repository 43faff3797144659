/** The commands on a page of the documentation, each run as it stands, in one folder and against one sandbox. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shareCompiled } from '../harness/own-home.ts';
import { quotedProgram } from '../harness/spawn-boh.ts';
import { type Running, startBoh } from '../harness/start-boh.ts';

/** The text of a page below docs/. */
export function pageOf(name: string): string {
  return readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
}

/** Makes a test of every block of shell, in their order. To be called where tests are described. */
export function tryCommandsOf(page: string): void {
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  let folder: string;
  let server: Running;
  let env: Record<string, string>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'boh-page-'));
    const program = join(folder, 'boh');
    writeFileSync(program, `#!/bin/sh\nexec ${quotedProgram} "$@"\n`);
    chmodSync(program, 0o755);
    shareCompiled(join(folder, '.cache'));
    const own = { BOH_CONFIG_DIR: join(folder, 'config'), HOME: folder };
    server = startBoh(['sandbox', 'serve', '--memory', '--port', '0', '-o', 'json'], own);
    const [line = ''] = await server.prints(/^\{.*\}$/m);
    const { base_url, token } = JSON.parse(line);
    const path = `${folder}${delimiter}${process.env.PATH ?? ''}`;
    env = { ...own, PATH: path, BOH_BASE_URL: base_url, BOH_TOKEN: token };
  });
  afterAll(async () => {
    server.kill('SIGTERM');
    await server.ended;
    rmSync(folder, { recursive: true, force: true });
  });

  it('are there', () => {
    expect(blocks.length).toBeGreaterThan(5);
  });

  it.each(blocks.map((block) => [block.split('\n')[0], block] as const))('%s', async (_, block) => {
    const child = spawn('sh', ['-euc', checked(block)], {
      env,
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    const [stderr] = await Promise.all([text(child.stderr), text(child.stdout)]);
    expect([await ended, stderr]).toEqual([0, expect.anything()]);
    // What fails within a pipe doesn't end the shell, but says so.
    const expected = block.match(/# exit [1-9]/g) ?? [];
    expect(stderr.match(/^(boh: (?!warning)|sh: ).*/gm) ?? []).toHaveLength(expected.length);
  });
}

/** A command that is said to end with another code than 0 is held to that one. */
function checked(block: string): string {
  return block.replaceAll(
    /^(boh .*?)\s+# exit (\d+)$/gm,
    (_, command: string, code: string) => `got=0; ${command} || got=$?; test "$got" = ${code}`,
  );
}
