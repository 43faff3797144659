/** Writes while another process locks the journal for longer than a statement waits, for example to scrub it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { formatHint } from '../../src/base/hint.ts';
import { Journal } from '../../src/history/journal/journal.ts';
import { journalToRead } from '../../src/history/journal/journal-to-read.ts';
import { entries } from '../../src/history/journal/reading.ts';
import { verify } from '../../src/history/maintenance/verify.ts';
import { Recorder } from '../../src/history/recording/recorder.ts';
import { api } from '../../src/resources/index.ts';
import type { OutgoingWrite } from '../../src/session/observed-writes.ts';
import { scrub } from '../../src/storage/scrub.ts';
import { createCustomer, emptyReader } from '../harness/new-customers.ts';
import { mountSmallDisk, needsRoot } from '../harness/small-disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-long-wait-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const made = (name: string, part?: { run: string; name: string }): OutgoingWrite => ({
  call: { operation: createCustomer, ids: [], body: { name } },
  request: { method: 'POST', target: '/customers', body: JSON.stringify({ name }) },
  details: part ? { part } : {},
});

let files = 0;

function recorded({ maxWaitMs = 60_000, signal }: { maxWaitMs?: number; signal?: AbortSignal } = {}) {
  const file = join(folder, `${files++}.sqlite`);
  const told: string[] = [];
  const recorder = new Recorder({
    api,
    file,
    line: 'boh customers create',
    run: 'a run',
    profile: null,
    account: {},
    isReadBefore: true,
    isRequired: false,
    hide: (text) => text,
    onProblem: (problem) => told.push(formatHint(problem)),
    onWait: (sentence) => told.push(sentence),
    maxWaitMs,
    signal,
    now: () => 0,
  });
  return { file, told, recorder };
}

/** Locks the file with another connection, as VACUUM does. */
function kept(file: string): { free(): void } {
  const other = new DatabaseSync(file);
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  return { free: () => other.exec('ROLLBACK') };
}

function seen(file: string) {
  const journal = journalToRead(file);
  expect(verify(journal)).toMatchObject({ intact: true, problems: [] });
  const found = [...entries(journal, {})].map(({ outcome, id }) => [outcome, id]);
  journal.close();
  return found.reverse();
}

const done = (id: string) => ({ done: true as const, recordResponse: { record: { id }, body: '' } });
const waiting = 'Waiting for the history, which another process is writing to.';

test('writes while the journal is locked for a long time: lose neither entries nor outcomes', async () => {
  const { file, told, recorder } = recorded();
  const first = made('First');
  await recorder.beforeBatch([first], emptyReader);
  const parts = ['1.0', '2.0', '3.0'].map((name) => made(name, { run: 'of many', name }));
  const other = kept(file);
  const ended = recorder.afterSend(first, done('a'));
  const begun = parts.map((part) => recorder.beforeBatch([part], emptyReader));
  setTimeout(other.free, 2500);
  await Promise.all([ended, ...begun]);
  for (const [at, part] of parts.entries()) await recorder.afterSend(part, done(`p${at}`));
  await recorder.onRunEnded([]);
  recorder.finish();
  expect(told).toEqual([waiting]);
  const all = [['done', 'a'], ...parts.map((_, at) => ['done', `p${at}`])];
  expect(seen(file).sort()).toEqual(all.sort());
});

test('an interrupt while the journal is locked: ends the wait, and nothing is sent', async () => {
  const ending = new AbortController();
  const { file, recorder } = recorded({ signal: ending.signal });
  const first = made('First');
  await recorder.beforeBatch([first], emptyReader);
  await recorder.afterSend(first, done('a'));
  const other = kept(file);
  const second = recorder.beforeBatch([made('Second')], emptyReader);
  const reason = new Error('told to end');
  ending.abort(reason);
  await expect(second).rejects.toBe(reason);
  other.free();
  recorder.finish();
  expect(seen(file)).toEqual([['done', 'a']]);
});

test('a journal that stays locked: writes continue without it', async () => {
  const { file, told, recorder } = recorded({ maxWaitMs: 50 });
  const first = made('First');
  await recorder.beforeBatch([first], emptyReader);
  await recorder.afterSend(first, done('a'));
  const other = kept(file);
  await recorder.beforeBatch([made('Second')], emptyReader);
  expect(told).toEqual([waiting, expect.stringContaining('but not recorded in it')]);
  other.free();
  recorder.finish();
});

test('scrub without enough disk space: changes nothing, and reports the needed space', async (context) => {
  const disk = mountSmallDisk(4096);
  if (!disk) return context.skip(needsRoot);
  const journal = new Journal(join(disk.path, 'history.sqlite'));
  onTestFinished(() => journal.close());
  const account = { key: 'key' };
  journal.write(() => {
    const command = journal.addCommand(1, { run: 'run', line: 'boh', profile: null, account });
    for (let count = 0; count < 300; count++)
      journal.addEntry({
        at: 1,
        command,
        resource: 'customers',
        verb: 'update',
        fields: ['name'],
        ids: [`${count}`],
        request: { method: 'PUT', target: '/customers/1', body: { name: 'x'.repeat(2000) } },
        before: null,
      });
  });
  journal.database.get('PRAGMA wal_checkpoint(TRUNCATE)');
  disk.fill(200);
  await expect(scrub(journal.database)).rejects.toThrow(
    /this needs \d\.\d MB of disk space in .*, which has 0\.2 MB free/,
  );
  disk.empty();
  await scrub(journal.database);
});
