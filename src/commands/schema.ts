/** `boh schema RESOURCE`: prints the JSON Schema of a record and of the input of its writes. */

import { Option } from 'commander';
import { usage } from '../base/errors.ts';
import { didYouMean } from '../base/suggest.ts';
import type { Context } from '../context/context.ts';
import type { Api } from '../contract/api.ts';
import { operations } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { manifestSchema } from '../manifest/schema/manifest-schema.ts';
import { createAction } from '../output/present.ts';
import type { Result } from '../output/result.ts';
import { inputSchema, type JsonSchema, resourceSchema, schemaDialect } from '../reference/json-schema.ts';
import { Command } from './command.ts';
import { resolveResource } from './flags/shared-flags.ts';
import { prepare } from './prepare.ts';

/** The argument for the schema of manifests, instead of a resource. */
const manifestWord = 'manifest';

/** Returns the command `boh schema`. */
export function schemaCommand(context: Context): Command {
  return prepare(new Command('schema'))
    .description('Print the JSON Schema of a record. $defs contains the input of each write.')
    .argument('<resource>', 'for example suppliers, or manifest for the files of boh apply')
    .addOption(new Option('--input <verb>', 'print only the input of this verb, for example create'))
    .examples('boh schema suppliers --input create', 'boh schema manifest > boh.schema.json')
    .action(
      createAction(context, (name: string, { input }: { input?: string }) => run(name, input, context.api)),
    );
}

async function run(name: string, verb: string | undefined, api: Api): Promise<Result> {
  if (name === manifestWord && verb === undefined && !api.findResource(name)) {
    return { kind: 'document', document: manifestSchema(api) };
  }
  const resource = resolveResource(name, api);
  const document = verb === undefined ? resourceSchema(resource) : await inputSchemaOf(resource, verb);
  return { kind: 'document', document };
}

async function inputSchemaOf(resource: Resource, verb: string): Promise<JsonSchema> {
  const writes = operations(resource).filter(({ body }) => body.length > 0);
  const operationWithInput = writes.find((operation) => operation.verb === verb);
  if (operationWithInput) return { $schema: schemaDialect, ...inputSchema(operationWithInput) };
  const verbs = writes.map((operation) => operation.verb);
  throw usage(`${resource.command} ${verb} takes no input.${didYouMean(verb, verbs)}`, {
    hint:
      verbs.length > 0
        ? `Verbs with input: ${verbs.join(', ')}.`
        : `No verb of ${resource.command} takes input.`,
  });
}
