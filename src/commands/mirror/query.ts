/** `boh mirror query "select …"`: a question in SQL, answered from the copy. */
import { Command, Option } from 'commander';
import { usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import type { Result } from '../../interaction/output/result.ts';
import { bindParameters } from '../../mirror/query/placeholders.ts';
import { runQuery } from '../../mirror/query/run-query.ts';
import { mirrored } from '../../mirror/schema/derive.ts';
import { openReader } from '../../mirror/stores/open.ts';
import { prepare } from '../prepare.ts';
import { addPlaceFlag, type PlaceFlags, targetOf } from './place.ts';
import { refuseOthersUnlessNamed } from './whose.ts';

interface Flags extends PlaceFlags {
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
  addPlaceFlag(command);
  command.addOption(
    new Option('--param <name=value>', 'the value of :name in it').argParser(
      (text: string, before: readonly string[] = []) => [...before, text],
    ),
  );
  command.addHelpText(
    'after',
    '\nExample:\n  boh mirror query "select name, phone from customers where name like :name" --param "name=H%"',
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
    throw usage('Which query?', { hint: 'boh mirror query "select count(*) from customers"' });
  }
  const named = readNamed(flags.param ?? []);
  const target = await targetOf(flags, context);
  const bound = bindParameters(target.kind, sql, named, values);
  const reader = await openReader(target, mirrored(context.api));
  try {
    await refuseOthersUnlessNamed(flags, reader, context);
    const { columns, rows } = await runQuery(reader, bound);
    return { kind: 'answer', columns, rows, end: () => reader.close() };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

async function standardInput({ streams }: Context): Promise<string> {
  const { text } = await import('node:stream/consumers');
  return text(streams.stdin);
}

function readNamed(params: readonly string[]): Map<string, string> {
  const pairs = params.map((param) => /^:?([A-Za-z_]\w*)=(.*)$/s.exec(param));
  const wrong = params.filter((_, at) => !pairs[at]);
  if (wrong.length > 0) throw usage(`--param takes NAME=VALUE: ${wrong.join(', ')} is none.`);
  return new Map(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', pair[2] ?? '']] : [])));
}
