/** Four files of a suite use one server at the same time: each run is green and leaves the same records. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { serveBoh } from '../cli/served-boh.ts';
import { home } from '../harness/spawn-boh.ts';

const suiteFile = fileURLToPath(new URL('suite-file.mjs', import.meta.url));

it('200 tests in four processes against one server: leave the same records in every run', async () => {
  const flags = ['--memory', '--random-seed', '1', '--clock', '2030-01-01'];
  const served = await serveBoh(flags, { BOH_CONFIG_DIR: home });
  const controlToken = JSON.parse(served.line).control_token;
  await fetch(`${served.base_url}/_boh/snapshots`, {
    method: 'POST',
    headers: { authorization: `Bearer ${controlToken}` },
    body: '{"name": "start"}',
  });
  const runFile = async (number: number) =>
    (await promisify(execFile)(process.execPath, [suiteFile, served.base_url, controlToken, String(number)]))
      .stdout;
  const runSuite = () => Promise.all([1, 2, 3, 4].map(runFile));
  const first = await runSuite();
  expect(new Set(first).size).toBe(4);
  for (let round = 1; round < Number(process.env.BOH_SUITE_ROUNDS ?? 3); round++)
    expect(await runSuite()).toEqual(first);
  expect(await served.stop()).toBe(0);
});
