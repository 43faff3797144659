/** Tests that indexes are created after the rows, and again if they are missing, and that link tables have no row ID. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { mirroredResources } from '../../src/mirror/schema/derive.ts';
import { indexesOf } from '../../src/mirror/stores/ddl.ts';
import { api } from '../../src/resources/index.ts';
import { runBoh } from '../harness/run-boh.ts';
import { serve } from '../harness/serve.ts';
import { type MirrorWorkspace, openWorkspace } from './workspace.ts';

const expectedIndexes = mirroredResources(api)
  .filter(({ resource }) => ['customers', 'addresses'].includes(resource.name))
  .flatMap(({ tables }) => tables.flatMap(indexesOf))
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
    await workspace.sync('--resource customers,addresses');
    expect(expectedIndexes.length).toBeGreaterThan(2);
    expect(indexesIn(workspace)).toEqual(expectedIndexes);
    const [droppedIndex = '', ...remainingIndexes] = expectedIndexes;
    workspace.change(`DROP INDEX ${droppedIndex}`);
    expect(indexesIn(workspace)).toEqual(remainingIndexes);
    await workspace.sync('--resource customers,addresses');
    expect(indexesIn(workspace)).toEqual(expectedIndexes);
  });

  test('are created by the sync after a failed first sync', async () => {
    const workspace = openWorkspace();
    const page = (number: number) => ({
      data: Array.from({ length: 50 }, (_, index) => ({
        id: `c${number}-${index}`,
        name: 'C',
        updated_at: '2026-01-01 00:00:00',
        deleted_at: index === 0 ? '2026-01-01 00:00:00' : null,
        tags: [{ id: `t${index % 3}` }],
      })),
      meta: { current_page: number, last_page: 3, per_page: 50, total: 150 },
    });
    const listRequest = 'GET /customers?filter[is_deleted]=true&include=tags';
    const responses: Record<string, unknown> = {
      'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b' } } },
      [listRequest]: page(1),
      [`${listRequest}&page=2`]: page(2),
      [`${listRequest}&page=3`]: [403, { message: 'This action is unauthorized.' }],
      'GET /customers': { data: [], meta: { last_page: 1, total: 0 } },
    };
    const service = await serve(responses);
    onTestFinished(() => service.close());
    const env = { ...workspace.env, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'a-token-of-a-test' };
    const sync = () => runBoh('mirror sync --resource customers --json'.split(' '), { env });
    const links = () => workspace.sql('SELECT count(*) AS count FROM customers_tags');

    expect(await sync()).toMatchObject({ exitCode: 4 });
    expect(links()).toEqual([{ count: 100 }]);
    expect(indexesIn(workspace)).not.toContain('customers_tags_by_tag_id');
    responses[`${listRequest}&page=3`] = page(3);
    expect(await sync()).toMatchObject({ exitCode: 0 });
    expect(links()).toEqual([{ count: 150 }]);
    expect(indexesIn(workspace)).toEqual(
      expect.arrayContaining(['customers_tags_by_customer_id', 'customers_tags_by_tag_id']),
    );
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
