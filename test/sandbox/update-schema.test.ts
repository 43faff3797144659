/** Tests that files of sandboxes get what they lack of another contract, such as that of a preset, without losing data. */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { text } from '../../src/api/contract/field.ts';
import { api } from '../../src/api/resources/index.ts';
import type { Cell, Database } from '../../src/base/storage/database.ts';
import { openFile } from '../../src/base/storage/open.ts';
import { openSandbox } from '../../src/sandbox/service.ts';
import { restoreSnapshot } from '../../src/sandbox/snapshots/snapshots.ts';
import { sandboxFormat } from '../../src/sandbox/store/open.ts';
import { type Column, type Table, Tables } from '../../src/sandbox/store/tables.ts';
import { Client } from './client.ts';

const tables = new Tables(api).all;

let env: { BOH_CONFIG_DIR: string };
let folder: string;
let file: string;
beforeEach(() => {
  env = { BOH_CONFIG_DIR: mkdtempSync(join(tmpdir(), 'boh-schema-')) };
  folder = join(env.BOH_CONFIG_DIR, 'sandboxes');
  file = join(folder, 'default.sqlite');
  mkdirSync(join(folder, 'snapshots'), { recursive: true });
});
afterEach(() => rmSync(env.BOH_CONFIG_DIR, { recursive: true, force: true, maxRetries: 10 }));

async function withSandbox<T>(work: (client: Client) => T | Promise<T>): Promise<T> {
  const sandbox = await openSandbox({ api, file });
  try {
    return await work(new Client(sandbox));
  } finally {
    sandbox.close();
  }
}

/** Creates a file of another contract. */
function createFile(
  changedTables: readonly Table[],
  insertRows: (database: Database) => void = () => {},
): void {
  openFile(
    file,
    sandboxFormat(file, () => changedTables),
    insertRows,
  ).close();
}

function withDatabase<T>(changedTables: readonly Table[], work: (database: Database) => T): T {
  const database = openFile(
    file,
    sandboxFormat(file, () => changedTables),
  );
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function insert(database: Database, table: string, cells: Record<string, Cell>): void {
  const names = Object.keys(cells);
  const placeholders = names.map(() => '?').join(', ');
  database.run(
    `INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${placeholders})`,
    ...Object.values(cells),
  );
}

const changeTable = (name: string, change: (table: Table) => Partial<Table>): Table[] =>
  tables.map((table) => (table.name === name ? { ...table, ...change(table) } : table));

/** Returns the schema of a database in a fixed order. */
function summarize(database: Database): object {
  const names = database.all(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  return {
    tables: Object.fromEntries(
      names.map(({ name = '' }) => [
        name,
        database
          .all('SELECT name, type, pk FROM pragma_table_info(?)', name)
          .map((column) => JSON.stringify(column))
          .sort(),
      ]),
    ),
    otherObjects: database.all(
      "SELECT type, name, sql FROM sqlite_schema WHERE type <> 'table' ORDER BY type, name",
    ),
  };
}

describe('a file of another contract', () => {
  const maxColumns = Math.max(...tables.map(({ columns }) => columns.length));

  it('gets missing columns, and keeps its rows', () => {
    for (let missingIndex = 1; missingIndex < maxColumns; missingIndex += 5) {
      const withoutSomeColumns = (columns: readonly Column[]) =>
        columns.filter(
          ({ name }, index) => name === 'id' || name === 'deleted_at' || index % maxColumns !== missingIndex,
        );
      const changedTables = tables.map((table) => ({ ...table, columns: withoutSomeColumns(table.columns) }));
      const insertRows = (database: Database) => {
        for (const { name, columns } of changedTables) {
          const cells = columns.map((column): [string, Cell] => [column.name, `value of ${column.name}`]);
          insert(database, name, Object.fromEntries(cells));
        }
      };
      createFile(changedTables, insertRows);
      const newDatabase = openFile(
        ':memory:',
        sandboxFormat(file, () => tables),
        insertRows,
      );
      withDatabase(tables, (database) => {
        expect(summarize(database)).toEqual(summarize(newDatabase));
        for (const { name, columns } of changedTables) {
          const row = database.get(`SELECT * FROM "${name}"`);
          for (const column of columns) {
            expect([name, column.name, row?.[column.name]]).toEqual([
              name,
              column.name,
              `value of ${column.name}`,
            ]);
          }
        }
        expect(database.checkIntegrity()).toEqual([]);
      });
      newDatabase.close();
      rmSync(file);
    }
  });

  it('gets missing tables and links', () => {
    createFile(tables.slice(5).map((table) => ({ ...table, relations: [] })));
    const newDatabase = openFile(
      ':memory:',
      sandboxFormat(file, () => tables),
    );
    withDatabase(tables, (database) => expect(summarize(database)).toEqual(summarize(newDatabase)));
    newDatabase.close();
  });

  it("can be restored as a snapshot, which isn't changed", async () => {
    const withoutTypes = changeTable('tags', ({ columns }) => ({
      columns: columns.filter(({ name }) => name !== 'type'),
    }));
    createFile(withoutTypes, (database) => insert(database, 'tags', { id: 'a', name: 'Saved' }));
    const snapshot = join(folder, 'snapshots', 'saved.sqlite');
    renameSync(file, snapshot);
    const bytes = readFileSync(snapshot);
    await withSandbox(async (client) => {
      await restoreSnapshot(env, 'saved', file, api);
      expect(client.get('/tags').json.data).toMatchObject([{ name: 'Saved' }]);
      expect(client.post('/tags', { name: 'Fresh', type: 1 }).status).toBe(201);
      expect(client.sandbox.database.checkIntegrity()).toEqual([]);
    });
    expect(readFileSync(snapshot).equals(bytes)).toBe(true);
  });

  it("keeps data that this contract doesn't have, for a preset that has it", () => {
    const nickname: Column = {
      name: 'nickname',
      fieldName: 'nickname',
      field: text(),
      initial: null,
    };
    const guests: Table = { ...(tables[0] as Table), name: 'guests', relations: [] };
    const changedTables = [
      ...changeTable('tags', ({ columns }) => ({ columns: [...columns, nickname] })),
      guests,
    ];
    createFile(changedTables, (database) => {
      insert(database, 'tags', { id: 'a', name: 'Tag', nickname: 'Taggy' });
      insert(database, 'guests', { id: 'g', name: 'Guest' });
    });
    withDatabase(tables, (database) => insert(database, 'tags', { id: 'b', name: 'Later' }));
    withDatabase(changedTables, (database) => {
      expect(database.all('SELECT id, nickname FROM tags')).toEqual([
        { id: 'a', nickname: 'Taggy' },
        { id: 'b', nickname: null },
      ]);
      expect(database.get('SELECT name FROM guests')).toEqual({ name: 'Guest' });
    });
  });

  it('sets new booleans to their initial values', () => {
    const tablesWithoutBooleans = changeTable('groups', ({ columns }) => ({
      columns: columns.filter(({ field }) => field.kind !== 'boolean'),
    }));
    createFile(tablesWithoutBooleans, (database) => insert(database, 'groups', { id: 'g', name: 'Old' }));
    withDatabase(tables, (database) => {
      const row = database.get("SELECT * FROM groups WHERE id = 'g'") ?? {};
      const booleanColumns = tables
        .find(({ name }) => name === 'groups')
        ?.columns.filter(({ field }) => field.kind === 'boolean');
      for (const { name } of booleanColumns ?? [])
        expect([name, row[name]]).toEqual([name, name === 'is_active' ? 1 : 0]);
    });
  });
});
