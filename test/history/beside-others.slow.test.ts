/** Verifies a history while other processes write to it and read it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { journalToRead } from '../../src/history/journal/journal-to-read.ts';
import { verify } from '../../src/history/maintenance/verify.ts';

const script = fileURLToPath(new URL('journal-process.ts', import.meta.url));

test('history verify during writes and reads: reports no problem, and an earlier head stays in the chain', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'boh-beside-'));
  const file = join(folder, 'history.sqlite');
  const others = [0, 1].map(() =>
    spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  onTestFinished(async () => {
    for (const other of others) other.kill('SIGKILL');
    await Promise.all(others.map((other) => other.exitCode ?? other.signalCode ?? once(other, 'exit')));
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  await Promise.all(others.map((other) => once(other.stdout, 'data')));
  const heads: number[] = [];
  let noted: { seq: number; hash: string } | undefined;
  for (let look = 0; look < 25; look++) {
    const journal = journalToRead(file);
    const found = verify(journal, noted);
    journal.close();
    expect(found.problems).toEqual([]);
    const [seq = '', hash = ''] = found.head.split(':');
    noted = { seq: Number(seq), hash };
    heads.push(noted.seq);
  }
  expect(heads.at(-1)).toBeGreaterThan(heads[0] ?? 0);
});
