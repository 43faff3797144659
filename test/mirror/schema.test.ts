import { describe, expect, test } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { bindParameters } from '../../src/engine/mirror/query/run-query.ts';
import { plainDecimal } from '../../src/engine/mirror/schema/cell.ts';
import { mirroredResources } from '../../src/engine/mirror/schema/derive.ts';
import { allTables } from '../../src/engine/mirror/schema/reference-tables.ts';
import { createTableStatement, indexesOf, viewsOf } from '../../src/engine/mirror/stores/ddl.ts';

const tables = allTables(mirroredResources(api));

describe('the tables of a mirror', () => {
  test('have unique plain names, and id as their key', () => {
    const names = tables.flatMap((table) => [
      table.name,
      ...viewsOf('sqlite', table).map(({ name }) => name),
    ]);
    expect(new Set(names).size).toBe(names.length);
    for (const table of tables) {
      const columns = table.columns.map(({ name }) => name);
      expect([table.name, ...columns].filter((name) => !/^[a-z][a-z0-9_]{0,50}$/.test(name))).toEqual([]);
      expect(new Set(columns).size).toBe(columns.length);
      expect(columns[0]).toBe('id');
      expect(createTableStatement('sqlite', table)).toContain('"id" text NOT NULL PRIMARY KEY');
      expect(table.columns.filter(({ about }) => about === '')).toEqual([]);
      // PostgreSQL truncates longer names.
      for (const { name } of indexesOf(table)) expect(name.length).toBeLessThan(64);
    }
  });

  test("of links define the column of the linked record, also within nested records; others don't", () => {
    const linkedColumns = tables
      .filter(({ name }) => name.startsWith('modifiers_'))
      .map(({ name, linked }) => [name, linked]);
    expect(linkedColumns).toEqual([
      ['modifiers_products', 'product_id'],
      ['modifiers_options', undefined],
      ['modifiers_options_products', 'product_id'],
      ['modifiers_options_branches', 'branch_id'],
      ['modifiers_options_ingredients', 'inventory_item_id'],
    ]);
    for (const { columns, linked, owner } of tables) {
      if (linked === undefined) continue;
      expect(linked).not.toBe(owner);
      expect(columns.find(({ name }) => name === linked)?.about).toMatch(/^The linked .+$/);
    }
  });

  test('name the table of each ID: relations, owners, nested lists, and records without a list', () => {
    const parents = (name: string) =>
      tables
        .find((table) => table.name === name)
        ?.columns.flatMap(({ name: column, references }) =>
          references === undefined ? [] : [[column, references]],
        );
    expect(parents('gift_card_products')).toEqual([['category_id', 'categories']]);
    expect(parents('modifiers_options_branches')).toEqual([
      ['modifier_id', 'modifiers'],
      ['option_id', 'modifiers_options'],
      ['branch_id', 'branches'],
    ]);
    const names = new Set(tables.map(({ name }) => name));
    const dangling = tables.flatMap(({ columns }) =>
      columns.flatMap(({ references = 'tags' }) => references),
    );
    expect(dangling.filter((name) => !names.has(name))).toEqual([]);
    const statements = tables.map((table) => createTableStatement('sqlite', table));
    expect(statements.join('\n')).toContain('-- The linked role; references roles');
  });

  test('have CREATE statements with comments wrapped to a width', () => {
    for (const table of tables) {
      const lines = createTableStatement('sqlite', table, 72).split('\n');
      expect(lines.filter(({ length }) => length > 72)).toEqual([]);
      const sortedCharacters = (text: string) => text.replaceAll(/--|\s/g, '').split('').sort().join('');
      expect(sortedCharacters(lines.join(''))).toBe(sortedCharacters(createTableStatement('sqlite', table)));
    }
  });

  test("have an index on the columns of relations that other resources' lists return", () => {
    const mainIndexes = mirroredResources(api).flatMap(({ main }) => indexesOf(main));
    expect(mainIndexes.map(({ sql }) => / ON (.*)$/.exec(sql)?.[1]).sort()).toEqual([
      '"addresses" ("customer_id")',
      '"gift_card_products" ("category_id")',
      '"inventory_items" ("category_id")',
    ]);
  });

  test('of links have different columns for both records', () => {
    const link = (name: string) =>
      tables.find((table) => table.name === name)?.columns.map((column) => column.name);
    expect(link('groups_subgroups')).toEqual(['id', 'group_id', 'subgroup_id']);
    expect(link('inventory_items_ingredients')).toEqual([
      ...['id', 'inventory_item_id', 'ingredient_id', 'quantity', 'yield_percentage', 'other_fields'],
    ]);
    expect(link('modifiers_options_branches')?.slice(0, 4)).toEqual([
      'id',
      'modifier_id',
      'option_id',
      'branch_id',
    ]);
  });
});

test.each([
  ['1.5e-7', '0.00000015'],
  ['1E3', '1000'],
  ['-12.340e1', '-123.40'],
  ['.5', '0.5'],
  ['+7', '7'],
  ['1e5000', undefined],
  ['', undefined],
  ['-', undefined],
  ['1,5', undefined],
])('plainDecimal: %s becomes %s', (text, plain) => {
  expect(plainDecimal(text)).toBe(plain);
});

test('bindParameters: finds parameters only outside of strings, names, comments and casts', () => {
  const sql = `select ':a', ":a", x::text, :a, :b, :a -- :a\n/* :a ? */ where '?' = ?`;
  expect(
    bindParameters(
      'postgres',
      sql,
      new Map([
        ['a', '1'],
        ['b', '01'],
      ]),
      ['z'],
    ),
  ).toEqual({
    sql: `select ':a', ":a", x::text, $1, $2, $1 -- :a\n/* :a ? */ where '?' = $3`,
    parameters: [1, '01', 'z'],
  });
});

test.each([
  ['sqlite', 'select [a:b], `c:d`, :x', 'select [a:b], `c:d`, ?1'],
  [
    'postgres',
    "select $$it's :a$$, $t$ :b $$ $t$, E'it\\'s :c', :x",
    "select $$it's :a$$, $t$ :b $$ $t$, E'it\\'s :c', $1",
  ],
  ['postgres', "select 'a\\', :x", "select 'a\\', $1"],
] as const)('bindParameters: in %s, skips quoted parts of %s', (dialect, sql, boundSql) => {
  expect(bindParameters(dialect, sql, new Map([['x', 'y']]), [])).toEqual({
    sql: boundSql,
    parameters: ['y'],
  });
});

test("bindParameters: refuses PostgreSQL's $1 parameters", () => {
  expect(() => bindParameters('postgres', 'select $1', new Map(), ['a'])).toThrow(
    /unsupported parameters: \$1/,
  );
});

test.each(['select $a', 'select @a', 'select ?1', 'select :x, $tag_id'])(
  'bindParameters: refuses parameters that SQLite would fill with null: %s',
  (sql) => {
    const x = sql.includes(':x') ? new Map([['x', '1']]) : new Map<string, string>();
    expect(() => bindParameters('sqlite', sql, x, [])).toThrow(/The query has unsupported parameters:/);
    expect(bindParameters('sqlite', `select '${sql.replaceAll(':', '')}'`, new Map(), []).parameters).toEqual(
      [],
    );
  },
);
