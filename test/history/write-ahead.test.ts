/** Entries of a batch are recorded before its first write is sent, and get their outcomes even if the process is killed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { RunWrite } from '../../src/account/session/observed-writes.ts';
import { api } from '../../src/api/resources/index.ts';
import { formatHint } from '../../src/base/hint.ts';
import type { Entry } from '../../src/engine/history/journal/entry.ts';
import { Journal } from '../../src/engine/history/journal/journal.ts';
import { entries } from '../../src/engine/history/journal/reading.ts';
import { verify } from '../../src/engine/history/maintenance/verify.ts';
import { Recorder, type RecorderOptions } from '../../src/engine/history/recording/recorder.ts';
import { newRunId } from '../../src/engine/runs/ledger/run-id.ts';
import { createRunLedger } from '../../src/engine/runs/ledger/runs.ts';
import { logFile } from '../../src/engine/runs/log.ts';
import { createCustomer, observedWrites } from '../harness/new-customers.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-ahead-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

/** Returns the write of a row of a run, which creates a customer with this name. */
function part(row: number, name = `Customer ${row}`): RunWrite {
  return {
    call: { operation: createCustomer, ids: [], body: { name } },
    details: { part: { run: 'a run', name: `${row}.0` } },
  };
}

const responseWithId = (id: string) => ({ recordResponse: { record: { id }, body: '' } });

/** Sends writes through a recorder to a service whose responses have an id. */
function createProcess(recorder: Recorder) {
  const observed = observedWrites([recorder], ({ body }) => ({
    method: 'POST',
    target: '/customers',
    headers: {},
    body: JSON.stringify(body),
  }));
  const send = ({ call, details }: RunWrite, id: string) =>
    observed.send(observed.toOutgoingWrite(call, details), async () => responseWithId(id));
  return { observed, send };
}

let files = 0;
const newFile = () => logFile(join(folder, `${files++}`));

function createRecorder(file: string, options: Partial<RecorderOptions> = {}): Recorder {
  return new Recorder({
    api,
    folder: async () => dirname(file),
    line: 'boh customers import',
    run: 'none',
    profile: null,
    isReadBefore: true,
    isRequired: true,
    hide: (text) => text,
    onProblem: (problem) => expect.unreachable(formatHint(problem)),
    now: () => 0,
    ...options,
  });
}

/** Returns the entries oldest first, as another process reads them. */
function readEntries(file: string): Pick<Entry, 'number' | 'outcome' | 'id'>[] {
  const journal = new Journal(file);
  expect(verify(journal)).toMatchObject({ intact: true, problems: [] });
  const found = [...entries(journal, {})].map(({ number, outcome, id }) => ({ number, outcome, id }));
  journal.close();
  return found.reverse();
}

function messageOf(file: string, number: number): string | undefined {
  const journal = new Journal(file);
  const foundEntry = [...entries(journal, {})].find((entry) => entry.number === number);
  journal.close();
  return foundEntry?.answered?.error?.message;
}

test('a batch: is recorded before its first write, and each entry gets its own outcome', async () => {
  const file = newFile();
  const recorder = createRecorder(file);
  const { observed, send } = createProcess(recorder);
  await observed.announce([part(1), part(2), part(3)], (record) => record());
  const open = { outcome: 'unknown', id: null };
  expect(readEntries(file)).toEqual([1, 2, 3].map((number) => ({ number, ...open })));
  await send(part(2), 'b');
  await send(part(1), 'a');
  await observed.reportEnd();
  recorder.finish();
  expect(readEntries(file)).toEqual([
    { number: 1, outcome: 'done', id: 'a' },
    { number: 2, outcome: 'done', id: 'b' },
    { number: 3, outcome: 'refused', id: null },
  ]);
  expect(messageOf(file, 3)).toBe('It was not sent because its run stopped.');
});

test('a run that ends with writes in progress: leaves their entries open', async () => {
  const file = newFile();
  const recorder = createRecorder(file);
  const { observed } = createProcess(recorder);
  await observed.announce([part(1), part(2)], (record) => record());
  const { call, details } = part(1);
  let respond = (_: ReturnType<typeof responseWithId>) => {};
  const inFlight = observed.send(
    observed.toOutgoingWrite(call, details),
    () => new Promise<ReturnType<typeof responseWithId>>((resolve) => (respond = resolve)),
  );
  await new Promise(setImmediate);
  await observed.reportEnd();
  expect(readEntries(file).map(({ outcome }) => outcome)).toEqual(['unknown', 'refused']);
  respond(responseWithId('a'));
  await inFlight;
  recorder.finish();
  expect(readEntries(file).map(({ outcome }) => outcome)).toEqual(['done', 'refused']);
});

test('a write that differs from its announcement: gets a separate entry', async () => {
  const file = newFile();
  const recorder = createRecorder(file);
  const { observed, send } = createProcess(recorder);
  await observed.announce([part(1), part(2)], (record) => record());
  await send(part(1), 'a');
  await send(part(2, 'Another name'), 'b');
  await observed.reportEnd();
  recorder.finish();
  expect(readEntries(file).map(({ outcome }) => outcome)).toEqual(['done', 'refused', 'done']);
});

test('a part that is announced again before it is sent: keeps its entry', async () => {
  const file = newFile();
  const recorder = createRecorder(file);
  const { observed, send } = createProcess(recorder);
  await observed.announce([part(1)], (record) => record());
  await observed.announce([part(1), part(2)], (record) => record());
  await send(part(1), 'a');
  await send(part(2), 'b');
  recorder.finish();
  expect(readEntries(file).map(({ outcome, id }) => [outcome, id])).toEqual([
    ['done', 'a'],
    ['done', 'b'],
  ]);
});

test('open entries of a killed process: get their outcomes when the run is resumed', async () => {
  const file = newFile();
  await createProcess(createRecorder(file)).observed.announce(
    [part(1), part(2), part(3), part(4)],
    (record) => record(),
  );
  const recorder = createRecorder(file);
  const { observed, send } = createProcess(recorder);
  // A lookup has found that the first was executed and two were not. The outcome of the last is unknown.
  expect(await observed.unfinishedParts('a run')).toEqual(['1.0', '2.0', '3.0', '4.0']);
  await observed.reportReconciled({ run: 'a run', name: '1.0' }, { outcome: 'done', id: 'a' });
  for (const name of ['2.0', '3.0'])
    await observed.reportReconciled({ run: 'a run', name }, { outcome: 'not_sent' });
  expect(await observed.unfinishedParts('a run')).toEqual(['4.0']);
  await send(part(2), 'b');
  await send(part(3), 'c');
  recorder.finish();
  expect(readEntries(file)).toEqual([
    { number: 1, outcome: 'done', id: 'a' },
    { number: 2, outcome: 'refused', id: null },
    { number: 3, outcome: 'refused', id: null },
    { number: 4, outcome: 'unknown', id: null },
    { number: 5, outcome: 'done', id: 'b' },
    { number: 6, outcome: 'done', id: 'c' },
  ]);
  expect(messageOf(file, 3)).toBe('It was not sent before its process ended.');
});

test('a batch and its rows, and an outcome and its row: are recorded together or not at all', async () => {
  const file = newFile();
  const recorder = createRecorder(file);
  const { observed, send } = createProcess(recorder);
  const ledger = createRunLedger(dirname(file), newRunId(new Date(0)));
  ledger.add([1, 2].map((line) => ({ line, key: `${line}`, state: 'planned', steps: [] })));
  const rows = [...ledger.rowsToSend()];
  const statesIn = () => [...ledger.rows('planned', 'sent', 'done')].map(({ state }) => state);
  const announce = (fail = () => {}) =>
    observed.announce([part(1), part(2)], (record) =>
      ledger.writeAhead(rows, 1, () => {
        record();
        fail();
      }),
    );
  await expect(
    announce(() => {
      throw new Error('killed');
    }),
  ).rejects.toThrow('killed');
  expect([readEntries(file), statesIn()]).toEqual([[], ['planned', 'planned']]);
  await announce();
  expect([readEntries(file).length, statesIn()]).toEqual([2, ['sent', 'sent']]);
  const { call, details } = part(1);
  const recordOutcomeLater = (record: () => void) => ledger.changeLater(1, { state: 'done' }, record);
  await send({ call, details: { ...details, recordOutcomeLater } }, 'a');
  expect(readEntries(file)[0]).toMatchObject({ outcome: 'unknown' });
  expect(statesIn()).toEqual(['done', 'sent']);
  expect(readEntries(file)[0]).toMatchObject({ outcome: 'done', id: 'a' });
  ledger.close();
  recorder.finish();
});
