/** Ends runs by signals and checks that their temporary files, such as a copy of an account, are deleted. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startBoh } from '../harness/start-boh.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';

const newFolder = temporaryFolders();

test.each([
  ['--sandbox rehearse MANIFEST', 'SIGTERM', 143],
  ['--sandbox rehearse MANIFEST', 'SIGINT', 130],
  ['sandbox run --apply MANIFEST -- sh -c', 'SIGHUP', 129],
  ['sandbox run --apply MANIFEST -- sh -c', 'SIGINT', 130],
] as const)(
  '%s ended by %s: deletes its temporary folder and starts nothing else',
  async (line, signal, exitCode) => {
    const folder = newFolder();
    const [temporaryFolder, manifest] = [join(folder, 'temporary'), join(folder, 'tags.yaml')];
    mkdirSync(temporaryFolder);
    const tags = Array.from({ length: 2000 }, (_, index) => `  - name: T${index}\n    type: customer\n`);
    writeFileSync(manifest, `tags:\n${tags.join('')}`);
    const words = line.split(' ').map((word) => (word === 'MANIFEST' ? manifest : word));
    const run = startBoh(words.at(-1) === '-c' ? [...words, 'echo started'] : words, {
      BOH_CONFIG_DIR: join(folder, 'config'),
      TMPDIR: temporaryFolder,
    });
    onTestFinished(() => run.kill('SIGKILL'));
    let isFinished = false;
    void run.ended.then(() => {
      isFinished = true;
    });
    while (!isFinished && readdirSync(temporaryFolder).length === 0) await turn();
    run.kill(signal);
    const result = await run.ended;
    expect(result, result.stderr).toMatchObject({ exitCode });
    expect(result.stdout).not.toContain('started');
    expect(readdirSync(temporaryFolder)).toEqual([]);
  },
);

test('a long run in the sandbox of this process: ends at a signal', async () => {
  const folder = newFolder();
  const rows = Array.from(
    { length: 30_000 },
    (_, index) => `N${index},966,5${String(index).padStart(8, '0')}`,
  );
  const [file, ledger] = [join(folder, 'customers.csv'), join(folder, 'ledger')];
  writeFileSync(file, `name,dial_code,phone\n${rows.join('\n')}\n`);
  const line = ['--sandbox', 'customers', 'import', file, '--mode', 'create', '--yes', '--ledger', ledger];
  const run = startBoh(line, { BOH_CONFIG_DIR: join(folder, 'config') });
  onTestFinished(() => run.kill('SIGKILL'));
  await run.waitForStderr(/30,000 requests/);
  run.kill('SIGINT');
  const result = await run.ended;
  expect(result, result.stderr).toMatchObject({ exitCode: 130 });
  expect(result.stderr).toContain('boh --sandbox runs resume');
});
