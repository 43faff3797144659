import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { serve } from '../harness/serve.ts';
import { openWorkspace } from './workspace.ts';

describe('excluded and forgotten data', () => {
  test('mirror sync --exclude: removes existing values, and later syncs add none', async () => {
    const workspace = openWorkspace();
    await workspace.sync('--resource customers,modifiers');
    expect(workspace.sql('SELECT phone FROM customers WHERE phone IS NOT NULL').length).toBeGreaterThan(0);
    const flags = '--exclude customers.phone,customers.tags --exclude modifiers.options.cost';
    const result = await workspace.sync(`--resource customers,modifiers ${flags}`);
    expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('customers.phone') });
    await workspace.boh('customers update customer-1 --phone 599999999');
    await workspace.sync('--full');
    expect(workspace.sql('SELECT phone FROM customers WHERE phone IS NOT NULL')).toEqual([]);
    expect(workspace.sql('SELECT * FROM customers_tags')).toEqual([]);
    expect(workspace.sql('SELECT cost FROM modifiers_options WHERE cost IS NOT NULL')).toEqual([]);
    expect(workspace.sql('SELECT count(*) AS count FROM modifiers_options')).not.toEqual([{ count: 0 }]);
  });

  test('mirror sync --exclude: refuses unknown fields, and fields that a mirror requires', async () => {
    const workspace = openWorkspace();
    const result = await workspace.sync(
      '--exclude customers.fon,spoons.name,customers.id,customers.updated_at',
    );
    expect(result.exitCode).toBe(2);
    expect(Object.values(failureOf(result).fields as object)[0]).toHaveLength(4);
  });

  test('mirror sync --exclude: refuses an empty value, for example of an unset variable', async () => {
    const workspace = openWorkspace();
    for (const fields of ['', ',', ' , ']) {
      const result = await runBoh(['--sandbox', 'mirror', 'sync', '--exclude', fields, '--json'], {
        env: workspace.env,
      });
      expect({ excludedFields: fields, ...failureOf(result) }).toMatchObject({ exit_code: 2 });
    }
    expect(existsSync(workspace.file)).toBe(false);
  });

  test('mirror forget: deletes a record permanently from all files, and lists the records that refer to it', async () => {
    const workspace = openWorkspace();
    await workspace.sync();
    const [customer] = workspace.sql("SELECT name FROM customers WHERE id = 'customer-1'");
    expect(customer?.name).toBe('Huda Al-Amin');
    expect(await workspace.boh('mirror forget customers customer-1')).toMatchObject({ exitCode: 2 });
    // An unset shell variable gives this command line.
    expect(await workspace.boh('mirror forget customers  --yes')).toMatchObject({ exitCode: 2, stdout: '' });
    const result = await workspace.boh(
      'mirror forget customers customer-1 customer-x customer-1 --yes --json',
    );
    expect(JSON.parse(result.stdout)).toEqual([
      { resource: 'customers', id: 'customer-1', was_in_mirror: true },
      { resource: 'customers', id: 'customer-x', was_in_mirror: false },
    ]);
    expect(result.stderr).toContain('boh --sandbox mirror forget addresses address-huda-home');
    for (const suffix of ['', '-wal']) {
      const content = readText(workspace.file + suffix);
      expect(content.includes('Huda Al-Amin')).toBe(false);
    }
    await workspace.boh('customers update customer-1 --phone 599999999');
    await workspace.sync();
    await workspace.sync('--full');
    expect(workspace.sql("SELECT * FROM customers WHERE id = 'customer-1'")).toEqual([]);
    expect(workspace.sql("SELECT * FROM customers_tags WHERE customer_id = 'customer-1'")).toEqual([]);
  });

  test('mirror sync: creates no columns for secrets', async () => {
    const workspace = openWorkspace();
    await workspace.sync('--resource users');
    const columns = workspace.sql("SELECT name FROM pragma_table_info('users')").map(({ name }) => name);
    expect(columns).not.toContain('pin');
    expect(columns).not.toContain('password');
  });
});

describe('a mirror', () => {
  test('resumes an interrupted sync without reading all pages again', async () => {
    const workspace = openWorkspace();
    await workspace.boh('customers list --limit 1');
    const count = 400;
    const rows = Array.from({ length: count }, (_, index) => JSON.stringify({ name: `Guest ${index}` })).join(
      '\n',
    );
    await workspace.boh('customers import - --yes', rows);
    await workspace.sync('--resource customers');
    // Sets the state in which a sync leaves the mirror if it is killed at the tenth page.
    workspace.change(
      "UPDATE mirror_state SET since = NULL, walk = 2, walk_page = 10, walk_began = synced_at WHERE id = 'customers'",
    );
    workspace.change('UPDATE customers SET mirror_walk = 2 WHERE rowid <= 500');
    const resumeResult = await workspace.sync('--resource customers');
    const [{ read }] = JSON.parse(resumeResult.stdout);
    expect(read).toBeLessThan(count);
    expect(await workspace.differences('customers')).toEqual([]);
    // If rows are missing at the end, everything is read again.
    workspace.change('DELETE FROM customers WHERE rowid <= 20');
    workspace.change('UPDATE mirror_state SET since = NULL, walk_page = 10, walk_began = synced_at');
    expect(await workspace.sync('--resource customers')).toMatchObject({ exitCode: 0 });
    expect(await workspace.differences('customers')).toEqual([]);
  });

  test('of another version, or a file of another program: is refused', async () => {
    const workspace = openWorkspace();
    await workspace.sync('--resource tags');
    workspace.change('PRAGMA user_version = 2');
    for (const line of ['mirror sync', 'mirror status', 'mirror forget tags tag-1 --yes']) {
      const result = await workspace.boh(line);
      expect(result).toMatchObject({
        exitCode: 8,
        stderr: expect.stringContaining('another version of boh'),
      });
    }
    workspace.change('PRAGMA user_version = 1; PRAGMA application_id = 7');
    expect(await workspace.boh('mirror reset --yes')).toMatchObject({ exitCode: 8 });
    expect(await workspace.sync()).toMatchObject({ exitCode: 8 });
  });

  test('synced with a preset and without it in turn: has the values of its fields, in every record', async () => {
    const workspace = openWorkspace();
    const boh = async (line: string) => {
      const result = await runBoh(line.split(' '), { env: workspace.env });
      expect({ line, ...result }).toMatchObject({ exitCode: 0 });
    };
    await boh('profiles add plain --sandbox');
    await boh('config set api_prefix /v5 --profile plain');
    await boh('profiles add like --sandbox --like foodics-v5');
    for (const notes of ['first', 'second']) {
      await boh(`customers update customer-1 --notes ${notes} --profile like`);
      for (const profile of ['plain', 'like'])
        await boh(`mirror sync --resource customers --profile ${profile}`);
      await boh('mirror status --profile plain');
      expect(workspace.sql("SELECT notes FROM customers WHERE id = 'customer-1'")).toEqual([{ notes }]);
    }
  });

  test('gets the columns of a newer contract, with values for every record', async () => {
    const workspace = openWorkspace();
    await workspace.sync('--resource customers,tags');
    workspace.change(
      'DROP VIEW customers_in_words; DROP VIEW customers_versions; ALTER TABLE customers DROP COLUMN gender; DROP TABLE customers_tags',
    );
    workspace.change(
      'ALTER TABLE customers ADD COLUMN by_other_program TEXT; CREATE TABLE notes_of_other_program (x)',
    );
    const result = await workspace.sync('--resource customers,tags');
    expect(JSON.parse(result.stdout).map(({ complete }: { complete: boolean }) => complete)).toEqual([
      true,
      false,
    ]);
    expect(
      workspace.sql('SELECT count(*) AS count FROM customers_in_words WHERE gender_word IS NULL'),
    ).toEqual(workspace.sql('SELECT count(*) AS count FROM customers WHERE gender IS NULL'));
    expect(workspace.sql('SELECT DISTINCT gender_word FROM customers_in_words ORDER BY 1')).toContainEqual({
      gender_word: 'female',
    });
    expect(workspace.sql('SELECT * FROM customers_tags').length).toBeGreaterThan(0);
    expect(workspace.sql('SELECT * FROM notes_of_other_program')).toEqual([]);
  });

  test('gets the rows of tables that another program deleted, also if mirror forget created the tables again', async () => {
    const workspace = openWorkspace();
    await workspace.boh('suppliers create --name Dune');
    await workspace.sync('--history --resource customers,tags,sections');
    const history = workspace.sql('SELECT * FROM history_entries_fields');
    expect(history.length).toBeGreaterThan(0);
    workspace.change('DROP TABLE history_entries_fields');
    workspace.change(
      'DROP VIEW tags_in_words; DROP TABLE tags; DROP TABLE customers_tags; DROP TABLE sections',
    );
    expect(await workspace.boh('mirror forget suppliers none --yes')).toMatchObject({ exitCode: 0 });
    const [status] = await workspace.json('mirror status --resource tags');
    expect(status).toMatchObject({ rows: 0, age: null });
    expect(await workspace.sync('--history --resource customers,tags,sections')).toMatchObject({
      exitCode: 0,
    });
    expect(workspace.sql('SELECT * FROM history_entries_fields')).toEqual(history);
    expect(await workspace.differences('customers', 'tags', 'sections')).toEqual([]);
  });

  test('reports a constraint that another program added, and an unwritable file', async () => {
    const workspace = openWorkspace();
    await workspace.sync('--resource tags');
    workspace.change("CREATE TRIGGER mine BEFORE UPDATE ON tags BEGIN SELECT RAISE(ABORT, 'mine'); END");
    const result = await workspace.sync('--resource tags --full');
    expect(result).toMatchObject({
      exitCode: 8,
      stderr: expect.stringContaining('Writing to the mirror'),
    });
    workspace.change('DROP TRIGGER mine');
    expect(await workspace.sync('--resource tags --full')).toMatchObject({ exitCode: 0 });
    const unwritableResult = await runBoh(
      ['--sandbox', 'mirror', 'sync', '--to', `sqlite:${workspace.file}/m.sqlite`],
      {
        env: workspace.env,
      },
    );
    expect(unwritableResult.exitCode).toBe(8);
  });

  test("reports both errors if reading fails and the rows before it can't be stored", async () => {
    const workspace = openWorkspace();
    const page = (number: number) => ({
      data: [{ id: `t${number}`, name: 'T', rate: 5, updated_at: '2026-01-01 00:00:00' }],
      meta: { current_page: number, last_page: 2, per_page: 1, total: 2 },
    });
    const listRequest = 'GET /taxes?filter[is_deleted]=true';
    const responses: Record<string, unknown> = {
      'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b' } } },
      'GET /taxes': { data: [], meta: { last_page: 1, total: 0 } },
      [listRequest]: page(1),
      [`${listRequest}&page=1`]: page(1),
      [`${listRequest}&page=2`]: [403, { message: 'This action is unauthorized.' }],
    };
    const service = await serve(responses);
    onTestFinished(() => service.close());
    const env = { ...workspace.env, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'a-token-of-a-test' };
    const sync = (resource: string) => runBoh(['mirror', 'sync', '--resource', resource, '--json'], { env });
    await sync('tags');
    workspace.change("CREATE TRIGGER mine BEFORE INSERT ON taxes BEGIN SELECT RAISE(ABORT, 'mine'); END");
    const result = await sync('taxes');
    expect(result.exitCode).toBe(8);
    expect(failureOf(result).message).toMatch(/unauthorized|not allowed|may not/i);
    expect(failureOf(result).message).toContain('could not be stored');
    expect(failureOf(result).message).toContain('mine');
    workspace.change('DROP TRIGGER mine');
    expect(await sync('taxes')).toMatchObject({ exitCode: 4 });
    expect(workspace.sql('SELECT id FROM taxes')).toEqual([{ id: 't1' }]);
    responses[`${listRequest}&page=2`] = page(2);
    expect(await sync('taxes')).toMatchObject({ exitCode: 0 });
    expect(workspace.sql('SELECT id FROM taxes')).toEqual([{ id: 't1' }, { id: 't2' }]);
  });

  test('is deleted only by reset, and created again by the next sync', async () => {
    const workspace = openWorkspace();
    expect(await workspace.boh('mirror status')).toMatchObject({ exitCode: 5 });
    await workspace.sync('--resource tags');
    expect(await workspace.boh('mirror reset')).toMatchObject({ exitCode: 2 });
    expect(await workspace.boh('mirror reset --yes')).toMatchObject({ exitCode: 0 });
    expect(readdirSync(workspace.folder)).toEqual(['config']);
    expect(await workspace.boh('mirror status')).toMatchObject({ exitCode: 5 });
    await workspace.sync('--resource tags');
    expect(await workspace.boh('mirror status --resource tags --max-age 1h')).toMatchObject({ exitCode: 0 });
    expect(await workspace.boh('mirror status --max-age 1h')).toMatchObject({ exitCode: 10 });
  });
});

function readText(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
