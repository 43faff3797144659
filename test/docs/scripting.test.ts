/** docs/scripting.md: every command on it runs as it stands, and it names every exit code. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes, Failure, failureRecord } from '../../src/errors.ts';
import { launcherFile } from '../harness/spawn-boh.ts';
import { type Running, startBoh } from '../harness/start-boh.ts';

const page = readFileSync(new URL('../../docs/scripting.md', import.meta.url), 'utf8');

/** Blocks of shell, in their order. */
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);

/** A command that is said to end with another code than 0 is held to that one. */
function checked(block: string): string {
  return block.replaceAll(
    /^(boh .*?)\s+# exit (\d+)$/gm,
    (_, command: string, code: string) => `got=0; ${command} || got=$?; test "$got" = ${code}`,
  );
}

let folder: string;
let server: Running;
let env: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'boh-page-'));
  const program = join(folder, 'boh');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${launcherFile}' "$@"\n`);
  chmodSync(program, 0o755);
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

describe('the commands of docs/scripting.md', () => {
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
});

it('names every exit code and category, and every key that a failure may have besides', () => {
  const table = page.slice(page.indexOf('## Failures'), page.indexOf('## Names'));
  for (const [category, code] of Object.entries(exitCodes)) {
    expect(table).toContain(`\`${category}\``);
    expect(table).toMatch(new RegExp(`^\\|.*\\b${code}\\b.*\\|$`, 'm'));
  }
  const full = new Failure('usage', '', { outcome: 'done', retryAfter: 1, failures: [] });
  for (const key of Object.keys(failureRecord(full))) expect(table).toContain(key);
});
