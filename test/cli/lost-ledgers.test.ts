/** A run that was killed, and whose ledger has then lost what came of its rows: none is sent twice. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBoh } from '../harness/start-boh.ts';
import { all, stage } from './staged-run.ts';

const rows = 120;

/** Killed after some rows; `meanwhile` is done when five have come. */
async function killed(meanwhile: (ledger: string) => void = () => {}) {
  const staged = await stage(['route: "POST /customers", fault: latency, milliseconds: 20'], rows);
  const line = ['customers', 'import', staged.file, '--mode', 'create', '--yes', '--concurrency', '4'];
  const running = startBoh(line, staged.env);
  await running.prints(/"line":5,/);
  const folder = join(staged.config, 'runs');
  const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.sqlite'));
  const ledger = join(folder, name);
  meanwhile(ledger);
  await running.prints(/"line":60,/);
  running.kill('SIGKILL');
  await running.ended;
  return { ...staged, ledger, run: name.replace('.sqlite', '') };
}

test('rows that left after what the ledger still says are looked up: a byte of its log was changed', async () => {
  const { boh, names, ledger, run } = await killed();
  const bytes = readFileSync(`${ledger}-wal`);
  const at = Math.floor(bytes.length * 0.7);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(`${ledger}-wal`, bytes);
  const resumed = await boh('runs', 'resume', run);
  expect(resumed).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('has lost what came of') });
  expect((await names()).sort()).toEqual(all(rows));
  expect((await boh('runs', 'list')).stderr).not.toContain('has lost');
});

test('rows that left after what the ledger still says are looked up: an older copy was restored', async () => {
  const parts = ['', '-wal', '-shm'];
  const { boh, names, ledger, run } = await killed((file) => {
    for (const part of parts) cpSync(file + part, `${file}${part}.copy`);
  });
  for (const part of parts) {
    rmSync(ledger + part);
    cpSync(`${ledger}${part}.copy`, ledger + part);
  }
  const resumed = await boh('runs', 'resume', run);
  expect(resumed).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('an older copy took its place'),
  });
  expect((await names()).sort()).toEqual(all(rows));
});

test('a ledger without any rows left is not said to have sent nothing: its log was deleted', async () => {
  const { boh, names, ledger, run } = await killed();
  rmSync(`${ledger}-wal`);
  expect(await boh('runs', 'list')).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('has lost'),
  });
  const resumed = await boh('runs', 'resume', run);
  expect(resumed).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('has lost its rows') });
  expect(resumed.stderr).toContain('"outcome":"unknown"');
  // Requests that were under way when it was killed may still arrive; a resume that sends would add all rows.
  const added = await names();
  expect(added.length).toBe(new Set(added).size);
  expect(added.length).toBeLessThan(rows);
});
