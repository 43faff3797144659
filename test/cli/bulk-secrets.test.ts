import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accountFile } from '../harness/account-folder.ts';
import { serveSandbox } from '../harness/served-sandbox.ts';
import { startBoh } from '../harness/start-boh.ts';

test('runs resume of rows with PINs: needs the original file, and never continues without them', async () => {
  const faults = 'rules: [{ route: "POST /users", fault: latency, milliseconds: 20 }]';
  const { config, env, boh, json, row } = await serveSandbox({ faults });
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
  const [run] = await json('runs', 'list');
  const resume = () => boh('runs', 'resume', run.id);
  const countPins = () =>
    row("SELECT count(*) AS users, sum(pin) AS pins FROM users WHERE name LIKE 'Pinned %'");
  const before = countPins();

  writeFileSync(file, text.replace('Pinned 0,', 'Intruder,i@users.example,en,99999\nPinned 0,'));
  expect(await resume()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('has changed since') });
  rmSync(file);
  expect(await resume()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("can't be read") });
  expect(countPins()).toEqual(before);

  writeFileSync(file, text);
  expect(await resume()).toMatchObject({ exitCode: 0 });
  expect(countPins()).toMatchObject({ users: 120, pins: 120 * 20_000 + (119 * 120) / 2 });
  expect(readFileSync(accountFile(config, 'history.sqlite')).toString('latin1')).not.toContain('20119');
});
