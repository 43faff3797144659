/** `boh mirror schema`: prints the tables of a mirror with the meaning of their columns. */
import type { Context } from '../../context/context.ts';
import { mirroredResources } from '../../mirror/schema/derive.ts';
import { sqliteTable } from '../../mirror/schema/numbers.ts';
import { systemTables } from '../../mirror/schema/state.ts';
import {
  commentStatements,
  createTableStatement,
  indexesOf,
  sqlTypeName,
  wordsView,
} from '../../mirror/stores/ddl.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { Command } from '../command.ts';
import { type ResourceFlag, resourceOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { addMirrorFlag, type MirrorFlags, resourcesOf, targetOf } from './target.ts';

/** Returns the command `boh mirror schema`. */
export function schemaCommand(context: Context): Command {
  const command = prepare(new Command('schema'))
    .description(
      "Print the SQL statements that create the tables, with the meaning of each column. Doesn't open a mirror.",
    )
    .examples('boh mirror schema --resource customers', 'boh mirror schema -o json')
    .addOption(resourceOption());
  addMirrorFlag(command);
  return command.action(createAction(context, (flags: MirrorFlags & ResourceFlag) => run(flags, context)));
}

async function run(flags: MirrorFlags & ResourceFlag, context: Context): Promise<Result> {
  const { kind: dialect } = await targetOf(flags, context);
  const resources = await resourcesOf(flags, mirroredResources(context.api), context);
  const allTables = [...resources.flatMap(({ tables }) => tables), ...systemTables];
  const tables = dialect === 'sqlite' ? allTables.map(sqliteTable) : allTables;
  const formatSql = (width: number | undefined) =>
    tables
      .flatMap((table) => {
        const view = wordsView(table);
        const comments = dialect === 'postgres' ? commentStatements(table) : [];
        const indexes = indexesOf(table).map(({ sql }) =>
          sql.length <= (width ?? sql.length) ? sql : sql.replace(' ON ', '\n  ON '),
        );
        return [
          createTableStatement(dialect, table, width),
          ...indexes,
          ...comments,
          ...(view ? [view.sql] : []),
        ];
      })
      .map((sql) => `${sql};\n`)
      .join('\n');
  const tableDescriptions = tables.map((table) => ({
    table: table.name,
    about: table.about,
    view: wordsView(table)?.name ?? null,
    columns: table.columns.map(({ name, type, about, words }) => ({
      name,
      type: sqlTypeName(dialect, type),
      about,
      ...(words && { words }),
    })),
  }));
  return {
    kind: 'data',
    data: tableDescriptions,
    text: ({ isTerminal, width }) => formatSql(isTerminal ? width : undefined),
    isForPeople: true,
    idField: 'table',
  };
}
