/** `boh mirror schema`: prints the tables of the mirror as SQL, as JSON, or as sources for dbt. */
import type { Dialect } from '../../../api/sql/sql.ts';
import { mirroredResources } from '../../../engine/mirror/schema/derive.ts';
import { sqliteTable } from '../../../engine/mirror/schema/numbers.ts';
import { allTables } from '../../../engine/mirror/schema/reference-tables.ts';
import { type Column, idColumn, type Table } from '../../../engine/mirror/schema/table.ts';
import { versionsName } from '../../../engine/mirror/schema/versions.ts';
import {
  commentStatements,
  createTableStatement,
  createViewStatement,
  indexesOf,
  sqlTypeName,
  viewsOf,
} from '../../../engine/mirror/stores/ddl.ts';
import type { Context } from '../../context/context.ts';
import type { Result } from '../../output/result.ts';
import { yaml } from '../../terminal/formats/yaml.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import type { FlagsOf } from '../flags/flag-table.ts';
import { resourceFlag } from '../flags/shared-flags.ts';
import { mirrorFlag, resourcesOf, targetOf } from './target.ts';

const schemaFlags = [
  ['--dbt', 'print sources for dbt: descriptions, and tests of keys and relations'],
  resourceFlag(),
  mirrorFlag,
] as const;

export function schemaCommand(context: Context): Command {
  return createCommand(context, {
    name: 'schema',
    summary: 'Print the tables and columns of the mirror',
    about:
      "Print the SQL statements that create the tables, with the meaning of each column. Doesn't open a mirror.",
    flags: schemaFlags,
    examples: [
      'boh mirror schema --resource customers',
      'boh mirror schema -o json',
      'boh mirror schema --dbt > models/sources.yml',
    ],
    run: (_, flags) => describeSchema(flags, context),
  });
}

async function describeSchema(flags: FlagsOf<typeof schemaFlags>, context: Context): Promise<Result> {
  const { kind: dialect } = await targetOf(flags, context);
  const resources = await resourcesOf(flags, mirroredResources(context.api), context);
  const tables = allTables(resources).map((table) => (dialect === 'sqlite' ? sqliteTable(table) : table));
  const data = flags.dbt ? dbtSources(tables, dialect) : tables.map((table) => describeTable(table, dialect));
  return {
    kind: 'data',
    data,
    text: async ({ isTerminal, width }) =>
      flags.dbt
        ? (await yaml.open()).formatValue(data)
        : tables.map((table) => statementsOf(table, dialect, isTerminal ? width : undefined)).join('\n'),
    isForPeople: true,
    idField: 'table',
  };
}

function statementsOf(table: Table, dialect: Dialect, width: number | undefined): string {
  const comments = dialect === 'postgres' ? commentStatements(table) : [];
  const indexes = indexesOf(table).map(({ sql }) =>
    sql.length <= (width ?? sql.length) ? sql : sql.replace(' ON ', '\n  ON '),
  );
  return [
    createTableStatement(dialect, table, width),
    ...indexes,
    ...comments,
    ...wordsViews(table, dialect).map(createViewStatement),
  ]
    .map((sql) => `${sql};\n`)
    .join('\n');
}

/** Returns the view with words. The views of versions have long queries, which say nothing to people. */
function wordsViews(table: Table, dialect: Dialect) {
  return viewsOf(dialect, table).filter(({ name }) => name !== versionsName(table));
}

function describeTable(table: Table, dialect: Dialect) {
  return {
    table: table.name,
    about: table.about,
    view: wordsViews(table, dialect)[0]?.name ?? null,
    versions: table.resource === undefined ? null : versionsName(table),
    columns: table.columns.map(({ name, type, about, words }) => ({
      name,
      type: sqlTypeName(dialect, type),
      about,
      ...(words && { words }),
    })),
    relations: table.columns.flatMap(({ name, references }) =>
      references === undefined
        ? []
        : [{ child: table.name, column: name, parent: references, parent_column: idColumn }],
    ),
  };
}

const dbtSource = 'boh';

/** Returns the tables as sources of dbt. A missing record that a row refers to is only a warning: it may be deleted. */
function dbtSources(tables: readonly Table[], dialect: Dialect) {
  const names = new Set(tables.map(({ name }) => name));
  const columnTests = (table: Table, { name, references }: Column) => {
    if (name === idColumn) return { tests: ['unique', 'not_null'] };
    if (references === undefined || !names.has(references)) return {};
    const to = `source('${dbtSource}', '${references}')`;
    const config = name === table.owner ? {} : { config: { severity: 'warn' } };
    return { tests: [{ relationships: { to, field: idColumn, ...config } }] };
  };
  return {
    version: 2,
    sources: [
      {
        name: dbtSource,
        description: 'The mirror of an account (boh mirror)',
        schema: dialect === 'sqlite' ? 'main' : 'public',
        tables: tables.map((table) => ({
          name: table.name,
          description: table.about,
          columns: table.columns.map((column) => ({
            name: column.name,
            description: column.about,
            ...columnTests(table, column),
          })),
        })),
      },
    ],
  };
}
