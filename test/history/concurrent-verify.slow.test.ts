/** Verifies a history while other processes write to it and read it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { Journal } from '../../src/engine/history/journal/journal.ts';
import { verify } from '../../src/engine/history/maintenance/verify.ts';

const script = fileURLToPath(new URL('journal-process.ts', import.meta.url));

test('history verify during writes and reads: reports no problem', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'boh-beside-'));
  const file = join(folder, 'history.sqlite');
  const processes = [0, 1].map(() =>
    spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  onTestFinished(async () => {
    for (const journalProcess of processes) journalProcess.kill('SIGKILL');
    await Promise.all(
      processes.map(
        (journalProcess) =>
          journalProcess.exitCode ?? journalProcess.signalCode ?? once(journalProcess, 'exit'),
      ),
    );
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  await Promise.all(processes.map((journalProcess) => once(journalProcess.stdout, 'data')));
  const counts: number[] = [];
  for (let round = 0; round < 25; round++) {
    const journal = new Journal(file);
    const { problems, entries } = verify(journal);
    journal.close();
    expect(problems).toEqual([]);
    counts.push(entries);
  }
  expect(counts.at(-1)).toBeGreaterThan(counts[0] ?? 0);
});
