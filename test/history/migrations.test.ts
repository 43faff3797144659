/** Histories of earlier versions are migrated without loss. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createWorkspaceWithUpdates, openJournalFile } from './sandbox-workspace.ts';

describe('a history of an earlier version', () => {
  const withKinds = `
    CREATE TABLE kinds (
      id INTEGER PRIMARY KEY, account INTEGER NOT NULL, profile TEXT, resource TEXT, fields TEXT NOT NULL,
      UNIQUE (account, resource, fields, profile)
    );
    INSERT INTO kinds VALUES (1, 1, NULL, 'suppliers', '["phone"]');
    ALTER TABLE entries ADD COLUMN kind INTEGER;
    UPDATE entries SET kind = 1;
    DROP INDEX entries_of_resource;
    CREATE INDEX entries_of_kind ON entries (kind);
    PRAGMA user_version = 5;
  `;
  const withoutQueue = `
    ${withKinds}
    DROP TABLE queue;
    DROP TABLE tail;
    ALTER TABLE chain_end RENAME TO head;
    PRAGMA user_version = 3;
  `;
  const withoutKinds = `
    ${withoutQueue}
    DROP INDEX entries_of_kind;
    ALTER TABLE entries DROP COLUMN kind;
    DROP TABLE kinds;
    CREATE INDEX entries_of_resource ON entries (resource);
    PRAGMA user_version = 2;
  `;
  const withoutIndexes = `
    ${withoutKinds}
    DROP INDEX entries_of_record;
    DROP INDEX entries_of_resource;
    DROP INDEX entries_of_time;
    CREATE INDEX entries_of_record ON entries (resource, id);
    PRAGMA user_version = 1;
  `;

  test.each([
    [1, withoutIndexes],
    [2, withoutKinds],
    [3, withoutQueue],
    [5, withKinds],
  ])('with format %i: is migrated with all its entries', async (_, sql) => {
    const workspace = await createWorkspaceWithUpdates();
    const database = openJournalFile(workspace);
    database.exec(sql);
    database.close();
    // That version didn't record the end of a history.
    rmSync(join(workspace.config, 'history-heads'), { recursive: true });
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '4');
    const numbers = async (...line: string[]) =>
      (await workspace.json('history', ...line)).map(({ number }: { number: number }) => number);
    expect(await numbers('suppliers')).toEqual([4, 3, 2, 1]);
    expect(await numbers('suppliers', 'supplier-1', '--since', '1h')).toEqual([4, 3, 2, 1]);
    expect(await numbers('--field', 'phone')).toEqual([4, 3, 2, 1]);
    expect(await numbers('suppliers', '--field', 'name')).toEqual([]);
    expect(await workspace.json('history', 'verify')).toMatchObject({ intact: true, entries: 4 });
    const upgraded = openJournalFile(workspace);
    expect(upgraded.prepare('PRAGMA user_version').get()).toEqual({ user_version: 6 });
    // Without this table an older process that has the file open writes nothing; it would reuse numbers.
    expect(() => upgraded.prepare('SELECT number FROM head')).toThrow('no such table');
    upgraded.close();
  });
});
