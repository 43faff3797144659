import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { accountFile } from '../harness/account-folder.ts';
import { runLine } from '../harness/run-line.ts';
import { startBoh } from '../harness/start-boh.ts';
import { serveBoh } from './served-boh.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-pins-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

test('runs resume of rows with PINs: needs the original file, and never continues without them', async () => {
  const config = mkdtempSync(join(folder, 'config-'));
  const plan = join(config, 'faults.yaml');
  writeFileSync(plan, 'rules:\n  - {route: "POST /users", fault: latency, milliseconds: 20}\n');
  const served = await serveBoh(['--name', 'pins', '--faults', plan], { BOH_CONFIG_DIR: config });
  const env = { BOH_CONFIG_DIR: config, BOH_BASE_URL: served.base_url, BOH_TOKEN: served.token };
  const file = join(config, 'users.csv');
  const lines = Array.from(
    { length: 120 },
    (_, index) => `Pinned ${index},p${index}@users.example,en,${20_000 + index}`,
  );
  // Only --map and common names identify the header, which the resumed run has to find again.
  const text = `Team\nWho,Mail,lang,Code\n${lines.join('\n')}\n`;
  writeFileSync(file, text);
  const flags = ['--key', 'email', '--yes'];
  const running = startBoh(
    ['users', 'import', file, '--map', 'Who=name', '--map', 'Code=pin', ...flags],
    env,
  );
  await running.waitForStdout(/"line":20,/);
  running.kill('SIGINT');
  await running.ended;
  const [run] = JSON.parse((await runLine(['runs', 'list', '--json'], { env })).stdout);
  const resume = () => runLine(['runs', 'resume', run.id], { env });
  const database = new DatabaseSync(join(config, 'sandboxes', 'pins.sqlite'), { readOnly: true });
  const countPins = () =>
    database
      .prepare("SELECT count(*) AS users, sum(pin) AS pins FROM users WHERE name LIKE 'Pinned %'")
      .get();
  const before = countPins();

  writeFileSync(file, text.replace('Pinned 0,', 'Intruder,i@users.example,en,99999\nPinned 0,'));
  expect(await resume()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('has changed since') });
  rmSync(file);
  expect(await resume()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("can't be read") });
  expect(countPins()).toEqual(before);

  writeFileSync(file, text);
  expect(await resume()).toMatchObject({ exitCode: 0 });
  expect(countPins()).toMatchObject({ users: 120, pins: 120 * 20_000 + (119 * 120) / 2 });
  database.close();
  expect(readFileSync(accountFile(config, 'runs', `${run.id}.sqlite`)).toString('latin1')).not.toContain(
    '20119',
  );
});
