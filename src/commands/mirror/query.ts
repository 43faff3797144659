/** `boh mirror query "select …"`: a question in SQL, answered from the copy. */
import { text } from 'node:stream/consumers';
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import { bindParameters } from '../../mirror/query/placeholders.ts';
import { runQuery, unreadResources } from '../../mirror/query/run-query.ts';
import { mirroredResources } from '../../mirror/schema/derive.ts';
import { openReader } from '../../mirror/stores/open.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { warn } from '../../terminal/messages.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { prepare } from '../prepare.ts';
import { addPlaceFlag, demandOwnUnlessNamed, type PlaceFlags, targetOf } from './place.ts';

interface Flags extends PlaceFlags, AnyAccountFlag {
  param?: readonly string[];
}

export function queryCommand(context: Context): Command {
  const command = prepare(new Command('query'))
    .argument('[sql]', 'one query; - for standard input')
    .argument('[values...]', 'for each ? in it, in their order')
    .usage('<sql> [values...] [flags]')
    .description(
      'Answer a question in SQL from the copy, without asking the account. Nothing can be changed by it. What it holds and how old it is: boh mirror schema, boh mirror status.',
    );
  addPlaceFlag(command).addOption(anyAccountOption());
  command.addOption(
    new Option('--param <name=value>', 'the value of :name in it').argParser(
      (text: string, before: readonly string[] = []) => [...before, text],
    ),
  );
  command.examples(
    'boh mirror query "select name, phone from customers where name like :name" --param "name=H%"',
  );
  return command.action(
    presented(context, (sql: string | undefined, values: string[]) =>
      run(sql, values, command.opts<Flags>(), context),
    ),
  );
}

async function run(
  given: string | undefined,
  values: readonly string[],
  flags: Flags,
  context: Context,
): Promise<Result> {
  const sql = given === '-' ? await standardInput(context) : given;
  if (sql === undefined || sql.trim() === '') {
    throw usage('Which query?', { hint: boh.mirror('mirror query', 'select count(*) from customers') });
  }
  const named = readNamed(flags.param ?? []);
  const target = await targetOf(flags, context);
  const bound = bindParameters(target.kind, sql, named, values);
  const all = mirroredResources(context.api);
  const reader = await openReader(target, all);
  try {
    await demandOwnUnlessNamed(reader, flags, context);
    tellUnread(await unreadResources(sql, reader, all), context);
    const { columns, rows } = await runQuery(reader, bound);
    return { kind: 'answer', columns, rows, end: () => reader.close() };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** Their tables are empty, or hold a beginning: an answer from them would be taken for one of the account. */
function tellUnread(unread: readonly Resource[], context: Context): void {
  if (unread.length === 0) return;
  const nouns = unread.map(({ nouns }) => nouns).join(', ');
  const names = unread.map(({ command }) => command).join(',');
  const line = boh.mirror('mirror sync', '--resource', names);
  warn(context.streams, [
    `The copy has no complete list of ${nouns} yet, so the result is without them. To read them: `,
    line,
  ]);
}

async function standardInput({ streams }: Context): Promise<string> {
  return text(streams.stdin);
}

function readNamed(params: readonly string[]): Map<string, string> {
  const pairs = params.map((param) => /^:?([A-Za-z_]\w*)=(.*)$/s.exec(param));
  const wrong = params.filter((_, at) => !pairs[at]);
  if (wrong.length > 0) throw usage(`--param takes NAME=VALUE: ${wrong.join(', ')} is none.`);
  return new Map(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', pair[2] ?? '']] : [])));
}
