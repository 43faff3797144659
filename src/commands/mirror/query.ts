/** `boh mirror query "select …"`: runs a SQL query on the mirror. */
import { text } from 'node:stream/consumers';
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import { bindParameters, runQuery, unreadResources } from '../../mirror/query/run-query.ts';
import { mirroredResources } from '../../mirror/schema/derive.ts';
import { openReader } from '../../mirror/stores/open.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { warn } from '../../terminal/messages.ts';
import { Command } from '../command.ts';
import { repeatable } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { addMirrorFlag, type MirrorFlags, targetOf } from './target.ts';

interface Flags extends MirrorFlags {
  param?: readonly string[];
}

/** Returns the command `boh mirror query`. */
export function queryCommand(context: Context): Command {
  const command = prepare(new Command('query'))
    .argument('[sql]', 'one query; - reads it from standard input')
    .argument('[values...]', 'the value of each ? in the query, in order')
    .usage('<sql> [values...] [flags]')
    .description(
      'Run a SQL query on the mirror, read-only and without a request to the service. For its tables: boh mirror schema. ' +
        'For its age: boh mirror status.',
    )
    .addOption(repeatable('--param <name=value>', 'the value of :name in the query (repeatable)'))
    .examples('boh mirror query "select name, phone from customers where name like :name" --param "name=H%"');
  return addMirrorFlag(command).action(
    createAction(context, (sql: string | undefined, values: string[]) =>
      run(sql, values, command.opts<Flags>(), context),
    ),
  );
}

async function run(
  sqlArgument: string | undefined,
  values: readonly string[],
  flags: Flags,
  context: Context,
): Promise<Result> {
  const sql = sqlArgument === '-' ? await readStandardInput(context) : sqlArgument;
  if (sql === undefined || sql.trim() === '') {
    throw usage('Missing the SQL query.', {
      hint: boh.mirror('mirror query', 'select count(*) from customers'),
    });
  }
  const params = parseParams(flags.param ?? []);
  const target = await targetOf(flags, context);
  const statement = bindParameters(target.kind, sql, params, values);
  const reader = await openReader(target);
  try {
    warnIfIncomplete(await unreadResources(sql, reader, mirroredResources(context.api)), context);
    const { columns, rows } = await runQuery(reader, statement);
    return { kind: 'query-rows', columns, rows, end: () => reader.close() };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** Warns of resources whose lists were never read completely: the query doesn't see all their records. */
function warnIfIncomplete(incomplete: readonly Resource[], context: Context): void {
  if (incomplete.length === 0) return;
  const nouns = incomplete.map(({ nouns }) => nouns).join(', ');
  const names = incomplete.map(({ command }) => command).join(',');
  warn(context.streams, [
    `The mirror has no complete list of ${nouns} yet, so the result may be incomplete. To read them: `,
    boh.mirror('mirror sync', '--resource', names),
  ]);
}

async function readStandardInput({ streams }: Context): Promise<string> {
  return text(streams.stdin);
}

function parseParams(params: readonly string[]): Map<string, string> {
  const pairs = params.map((param) => /^:?([A-Za-z_]\w*)=(.*)$/s.exec(param));
  const invalidParams = params.filter((_, index) => !pairs[index]);
  if (invalidParams.length > 0) throw usage(`--param takes NAME=VALUE, not ${invalidParams.join(', ')}.`);
  return new Map(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', pair[2] ?? '']] : [])));
}
