/** Resumes a killed run whose ledger has lost outcomes of rows: no row is sent twice. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBoh } from '../harness/start-boh.ts';
import { allNames, stage } from './staged-run.ts';

const rows = 120;

/** Kills a run after 60 rows. Calls `onFifthRow` with the path of the ledger after the first five rows. */
async function killRun(onFifthRow: (ledger: string) => void = () => {}) {
  const staged = await stage(['route: "POST /customers", fault: latency, milliseconds: 20'], rows);
  const line = ['customers', 'import', staged.file, '--mode', 'create', '--yes', '--concurrency', '4'];
  const running = startBoh(line, staged.env);
  await running.waitForStdout(/"line":5,/);
  const folder = join(staged.config, 'runs');
  const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.sqlite'));
  const ledger = join(folder, name);
  onFifthRow(ledger);
  await running.waitForStdout(/"line":60,/);
  running.kill('SIGKILL');
  await running.ended;
  return { ...staged, ledger, run: name.replace('.sqlite', '') };
}

test('resume when a byte of the ledger was changed: looks up rows that were sent after the last valid record', async () => {
  const { boh, names, ledger, run } = await killRun();
  const bytes = readFileSync(`${ledger}-wal`);
  const index = Math.floor(bytes.length * 0.7);
  bytes[index] = (bytes[index] ?? 0) ^ 1;
  writeFileSync(`${ledger}-wal`, bytes);
  const resumeResult = await boh('runs', 'resume', run);
  expect(resumeResult).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('has lost the newest outcomes'),
  });
  expect((await names()).sort()).toEqual(allNames(rows));
  expect((await boh('runs', 'list')).stderr).not.toContain('has lost');
});

test('resume when an older copy of the ledger was restored: looks up rows that were sent since', async () => {
  const suffixes = ['', '-wal', '-shm'];
  const { boh, names, ledger, run } = await killRun((file) => {
    for (const suffix of suffixes) cpSync(file + suffix, `${file}${suffix}.copy`);
  });
  for (const suffix of suffixes) {
    rmSync(ledger + suffix);
    cpSync(`${ledger}${suffix}.copy`, ledger + suffix);
  }
  const resumeResult = await boh('runs', 'resume', run);
  expect(resumeResult).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('replaced by an older copy'),
  });
  expect((await names()).sort()).toEqual(allNames(rows));
});

test('resume when the log of the ledger was deleted: does not report that nothing was sent', async () => {
  const { boh, names, ledger, run } = await killRun();
  rmSync(`${ledger}-wal`);
  expect(await boh('runs', 'list')).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('has lost'),
  });
  const resumeResult = await boh('runs', 'resume', run);
  expect(resumeResult).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('has lost rows') });
  expect(resumeResult.stderr).toContain('"outcome":"unknown"');
  // Requests in progress at the kill may still arrive; a resume that sends would add all rows.
  const createdNames = await names();
  expect(createdNames.length).toBe(new Set(createdNames).size);
  expect(createdNames.length).toBeLessThan(rows);
});

test('import --ledger with the ledger of a stopped run that was emptied: is refused, because rows may have been sent', async () => {
  const { boh, names, file, config } = await stage(
    ['route: "POST /customers", fault: status, status: 403, nth: [4]'],
    8,
  );
  const ledger = join(config, 'mine.sqlite');
  const line = ['customers', 'import', file, '--mode', 'create', '--yes', '--concurrency', '1'];
  expect((await boh(...line, '--ledger', ledger)).exitCode).toBe(4);
  rmSync(`${ledger}-wal`, { force: true });
  writeFileSync(ledger, '');
  const repeatResult = await boh(...line, '--ledger', ledger);
  expect(repeatResult).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('has lost rows') });
  expect(await names()).toHaveLength(3);
});
