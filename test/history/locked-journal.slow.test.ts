/** Writes while another process locks the journal for longer than a statement waits, for example to scrub it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { OutgoingWrite } from '../../src/account/session/observed-writes.ts';
import { api } from '../../src/api/resources/index.ts';
import { formatHint } from '../../src/base/hint.ts';
import { scrub } from '../../src/base/storage/scrub.ts';
import { Journal } from '../../src/engine/history/journal/journal.ts';
import { entries } from '../../src/engine/history/journal/reading.ts';
import { verify } from '../../src/engine/history/maintenance/verify.ts';
import { Recorder } from '../../src/engine/history/recording/recorder.ts';
import { logFile } from '../../src/engine/runs/log.ts';
import { createCustomer, emptyReader } from '../harness/new-customers.ts';
import { mountSmallDisk, needsRoot } from '../harness/small-disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-long-wait-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const createWrite = (name: string, part?: { run: string; name: string }): OutgoingWrite => ({
  call: { operation: createCustomer, ids: [], body: { name } },
  request: { method: 'POST', target: '/customers', body: JSON.stringify({ name }) },
  details: part ? { part } : {},
});

let accountCount = 0;

function createRecorder({ maxWaitMs = 60_000, signal }: { maxWaitMs?: number; signal?: AbortSignal } = {}) {
  const account = join(folder, `${accountCount++}`);
  const file = logFile(account);
  const messages: string[] = [];
  const recorder = new Recorder({
    api,
    folder: async () => account,
    line: 'boh customers create',
    run: 'a run',
    profile: null,
    isReadBefore: true,
    isRequired: false,
    hide: (text) => text,
    onProblem: (problem) => messages.push(formatHint(problem)),
    onWait: (message) => messages.push(message),
    maxWaitMs,
    signal,
    now: () => 0,
  });
  return { file, messages, recorder };
}

/** Locks the file with another connection, as VACUUM does. */
function lockJournal(file: string): { unlock(): void } {
  const lock = new DatabaseSync(file);
  onTestFinished(() => lock.close());
  lock.exec('BEGIN IMMEDIATE');
  return { unlock: () => lock.exec('ROLLBACK') };
}

function readOutcomes(file: string) {
  const journal = new Journal(file);
  expect(verify(journal)).toMatchObject({ intact: true, problems: [] });
  const outcomes = [...entries(journal, {})].map(({ outcome, id }) => [outcome, id]);
  journal.close();
  return outcomes.reverse();
}

const done = (id: string) => ({ done: true as const, recordResponse: { record: { id }, body: '' } });
const waitMessage = 'Waiting for the history, which another process is writing to.';

test('writes while the journal is locked for a long time: lose neither entries nor outcomes', async () => {
  const { file, messages, recorder } = createRecorder();
  const first = createWrite('First');
  await recorder.beforeWrite(first, emptyReader);
  const parts = ['1.0', '2.0', '3.0'].map((name) => createWrite(name, { run: 'of many', name }));
  const lock = lockJournal(file);
  const firstOutcome = recorder.afterSend(first, done('a'));
  const announcements = parts.map((part) => recorder.beforeWrite(part, emptyReader));
  setTimeout(lock.unlock, 2500);
  await Promise.all([firstOutcome, ...announcements]);
  for (const [index, part] of parts.entries()) await recorder.afterSend(part, done(`p${index}`));
  await recorder.onRunEnded([]);
  recorder.finish();
  expect(messages).toEqual([waitMessage]);
  const expectedOutcomes = [['done', 'a'], ...parts.map((_, index) => ['done', `p${index}`])];
  expect(readOutcomes(file).sort()).toEqual(expectedOutcomes.sort());
});

test('an interrupt while the journal is locked: ends the wait, and nothing is sent', async () => {
  const abort = new AbortController();
  const { file, recorder } = createRecorder({ signal: abort.signal });
  const first = createWrite('First');
  await recorder.beforeWrite(first, emptyReader);
  await recorder.afterSend(first, done('a'));
  const lock = lockJournal(file);
  const second = recorder.beforeWrite(createWrite('Second'), emptyReader);
  const reason = new Error('interrupted');
  abort.abort(reason);
  await expect(second).rejects.toBe(reason);
  lock.unlock();
  recorder.finish();
  expect(readOutcomes(file)).toEqual([['done', 'a']]);
});

test('a journal that stays locked: writes continue without it', async () => {
  const { file, messages, recorder } = createRecorder({ maxWaitMs: 50 });
  const first = createWrite('First');
  await recorder.beforeWrite(first, emptyReader);
  await recorder.afterSend(first, done('a'));
  const lock = lockJournal(file);
  await recorder.beforeWrite(createWrite('Second'), emptyReader);
  expect(messages).toEqual([expect.stringContaining('but not recorded in it')]);
  lock.unlock();
  recorder.finish();
});

test('scrub on a full disk: changes nothing, and reports the needed space', async (context) => {
  const disk = mountSmallDisk(4096);
  if (!disk) return context.skip(needsRoot);
  const journal = new Journal(join(disk.path, 'history.sqlite'));
  onTestFinished(() => journal.close());
  journal.write(() => {
    const command = journal.addCommand(1, { run: 'run', line: 'boh', profile: null });
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
  await expect(scrub(journal.database)).rejects.toMatchObject({
    message: expect.stringContaining('the disk is full'),
    details: { outcome: 'unknown', hint: expect.stringMatching(/^Free \d\.\d MB in /) },
  });
  disk.empty();
  await scrub(journal.database);
});
