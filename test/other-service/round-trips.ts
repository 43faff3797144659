/** Checks that an account survives each way of moving it, at a service with any facts. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import type { Link } from '../harness/other-service/account.ts';
import type { OtherAccounts } from '../harness/other-service/accounts.ts';
import {
  comparableAccount,
  completeRecord,
  countActive,
  countPulled,
  eventPaths,
  incompletePaths,
  readBackup,
  visibleRecords,
  withLinks,
  writablePaths,
} from '../harness/other-service/comparable.ts';
import { resources } from '../harness/other-service/resources.ts';
import type { OtherService } from '../harness/other-service/service.ts';
import type { BohResult } from '../harness/run-boh.ts';

/** A check of an account. Throws if something is lost, changed or restored. */
export type RoundTrip = (accounts: OtherAccounts) => Promise<void>;

/** The checks by title. */
export const roundTrips: Readonly<Record<string, RoundTrip>> = {
  'pull, plan: no change': pullAndPlan,
  'export, import: no change': exportAndImport,
  'backup, verify, restore into an empty account: equal': backupAndRestore,
  'mirror sync: the records and links of the account': mirror,
  'copy: deleted records are neither created nor restored': copy,
  'update of a field, undo: nothing else changes': updateAndUndo,
};

function expectSuccess(result: BohResult, exitCode = 0): void {
  expect([
    result.exitCode,
    result.exitCode === exitCode ? '' : result.stdout.slice(-2000) + result.stderr,
  ]).toEqual([exitCode, '']);
}

/** Expects a failure that names each resource; success if there are none. */
function expectComplete(result: BohResult, incomplete: readonly string[]): void {
  expectSuccess(result, incomplete.length > 0 ? 9 : 0);
  expectNamed(result, incomplete);
}

function expectNamed({ stderr }: BohResult, paths: readonly string[]): void {
  for (const path of paths) expect(stderr).toMatch(new RegExp(path.replaceAll('_', '[-_ ]')));
}

async function pullAndPlan({ main, boh }: OtherAccounts): Promise<void> {
  const incomplete = incompletePaths(main);
  expectComplete(
    await boh('pull FOLDER/files --profile main -q'),
    incomplete.filter((path) => !eventPaths.includes(path) && writablePaths.includes(path)),
  );
  const plan = await boh('plan FOLDER/files --profile main --exit-code');
  expectSuccess(plan);
  const count = countPulled(main, Object.keys(main.facts.brokenLists));
  expect(plan.stderr).toMatch(new RegExp(`files: ${count} records \\(${count} unchanged\\)`));
}

async function exportAndImport({ main, boh }: OtherAccounts): Promise<void> {
  const incomplete = incompletePaths(main);
  expectComplete(await boh('export --to FOLDER/all --profile main -q'), incomplete);
  const result = await boh('import FOLDER/all --profile main --dry-run --exit-code');
  expectSuccess(result);
  const count = countActive(main, Object.keys(main.facts.brokenLists));
  expect(result.stderr).toMatch(new RegExp(`all: ${count} records \\(${count} unchanged\\)`));
}

/**
 * Where the filter for deleted records is refused, lists read before the first deleted record may lack some: the first
 * backup reports them, and the next one knows that lists contain them.
 */
async function showDeleted({ main, boh }: OtherAccounts): Promise<void> {
  if (main.facts.deletedFilter !== 'refused' || !main.facts.listsDeleted) return;
  expect([0, 9]).toContain((await boh('backup FOLDER/first --profile main -q')).exitCode);
}

async function backupAndRestore(accounts: OtherAccounts): Promise<void> {
  const { main, empty, folder, boh } = accounts;
  await showDeleted(accounts);
  const incomplete = incompletePaths(main, { withDeleted: true });
  expectComplete(await boh('backup FOLDER/backup --profile main -q'), incomplete);
  const verification = await boh('backup verify FOLDER/backup');
  expectSuccess(verification);
  expectNamed(verification, incomplete);
  const backup = readBackup(join(folder, 'backup'));
  for (const path of Object.keys(resources).filter((name) => !incomplete.includes(name))) {
    const stored = visibleRecords(main, path);
    const rows = (backup[path] ?? []).map((row) => withLinks(path, row));
    expect([path, byId(rows)]).toEqual([
      path,
      byId(stored.map((record) => completeRecord(main, path, record))),
    ]);
  }
  if (incomplete.length > 0) return;
  const line = 'backup restore FOLDER/backup --profile new --same-references --with-deleted --yes -q';
  const hasPins = main.facts.put === 'replace';
  if (hasPins) expectPinRefused(await boh(line));
  expectSuccess(await boh(hasPins ? `${line} --unchecked` : line));
  expect(comparableAccount(empty)).toEqual(comparableAccount(main));
  expectSuccess(await boh(`diff --from main --to new --resource ${comparedResources}`));
}

/** Whole records can't contain PINs, which boh never reads: where an update replaces the record, it is refused. */
function expectPinRefused(result: BohResult): void {
  expect([result.exitCode, result.stderr]).toEqual([2, expect.stringMatching(/(not|Nothing was) sent.*pin/)]);
}

const comparedResources = writablePaths.map((path) => path.replaceAll('_', '-')).join(',');

async function mirror(accounts: OtherAccounts): Promise<void> {
  const { main, folder, boh } = accounts;
  await showDeleted(accounts);
  const incomplete = incompletePaths(main, { withDeleted: true });
  expectComplete(await boh('mirror sync --to sqlite:FOLDER/mirror.sqlite --profile main -q'), incomplete);
  const database = new DatabaseSync(join(folder, 'mirror.sqlite'), { readOnly: true });
  const rowsOf = (table: string) => database.prepare(`SELECT * FROM ${table}`).all();
  try {
    const tables = new Set(rowsOf("sqlite_schema WHERE type = 'table'").map(({ name }) => name));
    for (const [path, { relations = {}, deletes }] of Object.entries(resources)) {
      if (incomplete.includes(path)) continue;
      const stored = visibleRecords(main, path);
      const isActive = ({ deleted_at: deletedAt }: Row) => deletes !== 'softly' || deletedAt === null;
      const idsOf = (rows: readonly Row[]) =>
        rows
          .filter(isActive)
          .map(({ id }) => id)
          .sort();
      expect([path, idsOf(rowsOf(path)), rowsOf(path).length]).toEqual([path, idsOf(stored), stored.length]);
      for (const [name, { isOne, pivot = {} }] of Object.entries(relations)) {
        const table = `${path}_${name}`;
        if (isOne || name === 'options' || !tables.has(table)) continue;
        const shown = stored.flatMap((record) =>
          main.shownLinks(path, record, name).map((link) => lineOf([record.id, link.id], link, pivot)),
        );
        const lines = rowsOf(table).map((row) => lineOf(Object.values(row).slice(1, 3), row, pivot));
        expect([table, lines.sort()]).toEqual([table, shown.sort()]);
      }
    }
    if (incomplete.includes('modifiers')) return;
    const options = visibleRecords(main, 'modifiers').flatMap((record) => record.options as Link[]);
    expect(
      rowsOf('modifiers_options')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(options.map(({ id }) => id).sort());
  } finally {
    database.close();
  }
}

type Row = Record<string, unknown>;

/** Returns a comparable line of a document, or another link: both IDs and the values of the link. */
function lineOf(ids: readonly unknown[], values: Row, pivot: Readonly<Record<string, string>>): string {
  const numberOf = (value: unknown) => (value === null || typeof value === 'boolean' ? Number(value) : value);
  const fields = Object.keys(pivot).map((field) => String(numberOf(values[field]) ?? 0));
  return [...ids, ...fields.map((field) => (Number.isNaN(Number(field)) ? field : Number(field)))].join(' ');
}

async function copy({ main, empty, boh }: OtherAccounts): Promise<void> {
  const line =
    'copy customers suppliers taxes --from main --to new --with-references --same-references --yes -q';
  const incomplete = incompletePaths(main).filter((path) => copiedPaths.includes(path));
  const result = await boh(line);
  if (incomplete.length > 0) {
    expect(result.exitCode).not.toBe(0);
    expectNamed(result, incomplete);
    expect(empty.requests.filter((request) => request.startsWith('POST'))).toEqual([]);
    return;
  }
  expectSuccess(result);
  for (const path of copiedPaths) expect([path, namesIn(empty, path)]).toEqual([path, namesIn(main, path)]);
  // In the other account, these records have been deleted meanwhile.
  const deleted = ['customers', 'suppliers'].flatMap((path) => empty.stored(path).slice(0, 1));
  for (const record of deleted) record.deleted_at = '2026-11-20 07:00:00';
  const [first, second] = main.stored('customers');
  for (const record of [first, second]) if (record) record.deleted_at = '2026-11-20 07:00:00';
  expectSuccess(await boh(line));
  for (const record of deleted) expect(record.deleted_at).toBe('2026-11-20 07:00:00');
  expect(empty.requests.filter((request) => request.includes('restore'))).toEqual([]);
}

const copiedPaths = ['customers', 'suppliers', 'taxes'];

function namesIn(service: OtherService, path: string): unknown[] {
  return service
    .stored(path)
    .map(({ name }) => name)
    .sort();
}

/** The command that updates a field of each resource, and the field. */
const updates: readonly [path: string, flag: string, field: string][] = [
  ['suppliers', '--contact-name Huda', 'contact_name'],
  ['customers', '--name Layla', 'name'],
  ['inventory_items', '--cost 3.5', 'cost'],
  ['groups', '--name Evening', 'name'],
  ['users', '--phone 55123', 'phone'],
];

async function updateAndUndo({ main, boh }: OtherAccounts): Promise<void> {
  for (const [path, flag, field] of updates) {
    const record = main.stored(path).at(-1);
    if (!record) continue;
    const before = structuredClone(record);
    const stored = () => main.records.get(path)?.get(record.id);
    const command = path.replaceAll('_', '-');
    const result = await boh(`${command} update ${record.id} ${flag} --profile main -q`);
    if (path === 'users' && main.facts.put === 'replace') {
      expectPinRefused(result);
      continue;
    }
    expectSuccess(result);
    const after = stored();
    expect(after?.[field]).not.toEqual(before[field]);
    const ignored = { updated_at: expect.anything() };
    expect(after).toEqual({ ...before, ...ignored, [field]: after?.[field] });
    expectSuccess(await boh('undo --last --yes --profile main -q'));
    expect(stored()).toEqual({ ...before, ...ignored });
  }
}

function byId(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
}
