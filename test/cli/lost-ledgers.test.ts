/** Resumes a killed run whose ledger has lost outcomes of rows: none is sent twice. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBoh } from '../harness/start-boh.ts';
import { all, stage } from './staged-run.ts';

const rows = 120;

/** Kills a run after some rows. Calls `meanwhile` when the service has received five. */
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

test('resume when a byte of the ledger was changed: looks up rows that were sent after the last valid record', async () => {
  const { boh, names, ledger, run } = await killed();
  const bytes = readFileSync(`${ledger}-wal`);
  const at = Math.floor(bytes.length * 0.7);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(`${ledger}-wal`, bytes);
  const resumed = await boh('runs', 'resume', run);
  expect(resumed).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('has lost the newest outcomes'),
  });
  expect((await names()).sort()).toEqual(all(rows));
  expect((await boh('runs', 'list')).stderr).not.toContain('has lost');
});

test('resume when an older copy of the ledger was restored: looks up rows that were sent since', async () => {
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
    stderr: expect.stringContaining('replaced by an older copy'),
  });
  expect((await names()).sort()).toEqual(all(rows));
});

test('resume when the log of the ledger was deleted: does not report that nothing was sent', async () => {
  const { boh, names, ledger, run } = await killed();
  rmSync(`${ledger}-wal`);
  expect(await boh('runs', 'list')).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('has lost'),
  });
  const resumed = await boh('runs', 'resume', run);
  expect(resumed).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('has lost rows') });
  expect(resumed.stderr).toContain('"outcome":"unknown"');
  // Requests in progress at the kill may still arrive; a resume that sends would add all rows.
  const added = await names();
  expect(added.length).toBe(new Set(added).size);
  expect(added.length).toBeLessThan(rows);
});

test('import --ledger with the ledger of a stopped run that was emptied: is refused, as rows may have been sent', async () => {
  const { boh, names, file, config } = await stage(
    ['route: "POST /customers", fault: status, status: 403, nth: [4]'],
    8,
  );
  const ledger = join(config, 'mine.sqlite');
  const line = ['customers', 'import', file, '--mode', 'create', '--yes', '--concurrency', '1'];
  expect((await boh(...line, '--ledger', ledger)).exitCode).toBe(4);
  rmSync(`${ledger}-wal`, { force: true });
  writeFileSync(ledger, '');
  const again = await boh(...line, '--ledger', ledger);
  expect(again).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('has lost rows') });
  expect(await names()).toHaveLength(3);
});
