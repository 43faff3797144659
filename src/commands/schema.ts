/** `boh schema RESOURCE`: the JSON Schema of a record and of what its writes take. */
import { Command, Option } from 'commander';
import { operations } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { usage } from '../errors.ts';
import { dialect, inputSchema, type JsonSchema, resourceSchema } from '../reference/json-schema.ts';
import { api } from '../resources/index.ts';
import { write } from '../terminal/streams.ts';
import type { Context } from './context.ts';
import { prepare } from './prepare.ts';
import { outputName } from './showing/output.ts';

export function schemaCommand(context: Context): Command {
  return prepare(new Command('schema'))
    .description('Print the JSON Schema of a record, and under $defs of what each write takes.')
    .argument('<resource>', 'such as suppliers')
    .addOption(new Option('--input <verb>', 'only what this verb takes, such as create'))
    .addHelpText('after', '\nExamples:\n  boh schema suppliers\n  boh schema suppliers --input create')
    .action((name: string, { input }: { input?: string }) => run(name, input, context));
}

/** A schema is JSON for people too; YAML where it is asked for. */
async function run(name: string, verb: string | undefined, context: Context): Promise<void> {
  const resource = api.resourceCalled(name) ?? (await unknownResource(name));
  const schema = verb === undefined ? resourceSchema(resource) : await inputOf(resource, verb);
  const { loadFormat } = await import('../terminal/formats/format.ts');
  const { streams } = context;
  const isYaml = (await outputName(context)) === 'yaml';
  const format = await loadFormat(isYaml ? 'yaml' : 'json', { terminal: streams.isTerminal.out });
  await write(streams.stdout, format.one(schema));
}

async function inputOf(resource: Resource, verb: string): Promise<JsonSchema> {
  const writes = operations(resource).filter(({ body }) => body.length > 0);
  const found = writes.find((operation) => operation.verb === verb);
  if (found) return { $schema: dialect, ...inputSchema(found) };
  const { didYouMean } = await import('../suggest.ts');
  const verbs = writes.map((operation) => operation.verb);
  throw usage(`${resource.command} ${verb} takes no input.${didYouMean(verb, verbs)}`, {
    hint: verbs.length > 0 ? `These do: ${verbs.join(', ')}.` : `No verb of ${resource.command} does.`,
  });
}

async function unknownResource(name: string): Promise<never> {
  const { didYouMean } = await import('../suggest.ts');
  const names = api.resources.map(({ command }) => command);
  throw usage(`There is no resource "${name}".${didYouMean(name, names)}`, {
    hint: 'See them all: boh resources',
  });
}
