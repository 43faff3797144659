/** Tests that indexes are created with the tables, and again if they are missing, and that link tables have no row ID. */
import { describe, expect, test } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { mirroredResources } from '../../src/engine/mirror/schema/derive.ts';
import { systemTables } from '../../src/engine/mirror/schema/state.ts';
import { indexesOf } from '../../src/engine/mirror/stores/ddl.ts';
import { type MirrorWorkspace, openWorkspace } from './workspace.ts';

const tables = [...mirroredResources(api).flatMap((resource) => resource.tables), ...systemTables];
const expectedIndexes = tables
  .flatMap(indexesOf)
  .map(({ name }) => name)
  .sort();

function indexesIn(workspace: MirrorWorkspace): unknown[] {
  return workspace
    .sql(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE '%\\_by\\_%' ESCAPE '\\' ORDER BY name",
    )
    .map(({ name }) => name);
}

describe('the indexes of a mirror', () => {
  test('exist after the first sync, and again after the next sync if one was dropped', async () => {
    const workspace = openWorkspace();
    await workspace.sync('--resource customers');
    expect(expectedIndexes.length).toBeGreaterThan(2);
    expect(indexesIn(workspace)).toEqual(expectedIndexes);
    const [droppedIndex = '', ...remainingIndexes] = expectedIndexes;
    workspace.change(`DROP INDEX ${droppedIndex}`);
    expect(indexesIn(workspace)).toEqual(remainingIndexes);
    await workspace.sync('--resource customers');
    expect(indexesIn(workspace)).toEqual(expectedIndexes);
  });

  test('of link tables contain the rows, which are stored in the primary key', async () => {
    const workspace = openWorkspace();
    await workspace.sync('--resource customers');
    expect(workspace.sql("SELECT wr FROM pragma_table_list WHERE name = 'customers_tags'")).toEqual([
      { wr: 1 },
    ]);
    expect(workspace.sql("SELECT wr FROM pragma_table_list WHERE name = 'customers'")).toEqual([{ wr: 0 }]);
    expect(workspace.sql("SELECT pk FROM pragma_table_info('customers_tags') WHERE name = 'id'")).toEqual([
      { pk: 1 },
    ]);
  });
});
