/** The verbs that send a body: `create`, `update`, `link-…` and `redeem`. */
import { type Command, Option } from 'commander';
import type { Row } from '../../client/answer.ts';
import { nameOf } from '../../client/client.ts';
import type { Operation } from '../../contract/operation.ts';
import { flagName, splitList } from '../../contract/text.ts';
import { usage } from '../../errors.ts';
import { note } from '../../terminal/messages.ts';
import type { Context } from '../context.ts';
import { fieldOptions, givenValues } from '../flags.ts';
import { readInput } from '../input.ts';
import { printRecord, type View } from '../output.ts';
import { printPlanned } from '../planned.ts';
import { addViewOptions } from '../view-options.ts';
import { writeOptions } from '../write-options.ts';

interface SaveOptions extends Omit<View, 'resource'> {
  data?: string;
  clear: string[];
  ask: string[];
  full?: boolean;
}

const collect = (text: string, before: string[]): string[] => [...before, ...splitList(text)];

export function configureSave(command: Command, operation: Operation, context: Context): void {
  for (const { name } of operation.params) command.argument(`<${idPlaceholder(name)}>`, 'the id, or @NAME');
  for (const option of fieldOptions(operation.body)) command.addOption(option);
  const secrets = operation.body.filter(({ field }) => field.traits.secret).map(({ name }) => name);
  const others = [
    new Option('--data <json>', 'the whole body as JSON, @FILE, or - for standard input; flags go before it'),
    new Option('--clear <fields>', 'fields to empty (null)').argParser(collect).default([], 'none'),
    ...(secrets.length > 0
      ? [
          new Option('--ask <fields>', `fields to be asked for without showing them: ${secrets.join(', ')}`)
            .argParser(collect)
            .default([], 'none'),
        ]
      : []),
    ...(operation.effect === 'update'
      ? [new Option('--full', 'read the record first and send every field that an update takes')]
      : []),
  ];
  for (const option of others) command.addOption(option.helpGroup('Input:'));
  addViewOptions(command);
  command.action(() => runSave(command, operation, context));
}

async function runSave(command: Command, operation: Operation, context: Context): Promise<void> {
  const options = command.opts<SaveOptions>();
  const flags = givenValues(
    command,
    operation.body.map(({ name }) => name),
  );
  const given = { ...options, flags, secrets: await askSecrets(operation, options.ask ?? [], context) };
  const input = await readInput(operation, given, context.streams.stdin);
  const { performWrite } = await import('../../client/write.ts');
  const write = writeOptions(
    context,
    flags.map(({ name }) => name),
  );
  const body = options.full ? { ...(await currentBody(operation, command.args, context)), ...input } : input;
  const outcome = await performWrite(context.client, { operation, ids: command.args, body }, write);
  if (outcome.planned) return printPlanned(context, [outcome.planned]);
  const { record } = outcome;
  if (record) await printRecord(context, { ...options, resource: operation.resource }, record);
  note(context.streams, done(operation, command.args, record));
}

/** Every field that an update takes, as the record has it now. */
async function currentBody(operation: Operation, ids: readonly string[], context: Context): Promise<Row> {
  if (context.globals.dryRun) throw usage('--full reads the record first, which --dry-run doesn’t.');
  const { readCurrent } = await import('../full-update.ts');
  return readCurrent(operation, ids, context);
}

async function askSecrets(
  operation: Operation,
  names: readonly string[],
  { streams }: Context,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const name of names.map((typed) => typed.replaceAll('-', '_'))) {
    const entry = operation.body.find((candidate) => candidate.name === name);
    if (!entry)
      throw usage(`${operation.resource.command} ${operation.verb} has no field "${name}" to ask for.`);
    const { askHidden } = await import('../../terminal/prompts.ts');
    answers[name] = await askHidden(streams, { message: `${entry.field.traits.about ?? flagName(name)}:` });
  }
  return answers;
}

/** `Supplier 42 created.` */
function done(operation: Operation, ids: readonly string[], record: Row | undefined): string {
  const id = ids[0] ?? (typeof record?.id === 'string' ? record.id : '');
  const what = nameOf({ ...operation, effect: 'get' }, id ? [id] : []);
  const deed = { create: 'created', update: 'updated', link: 'linked', act: 'redeemed' } as Record<
    string,
    string
  >;
  return `${what[0]?.toUpperCase()}${what.slice(1)} ${deed[operation.effect] ?? 'saved'}.`;
}

function idPlaceholder(param: string): string {
  return param.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
