/** `boh openapi`: the contract as an OpenAPI document. */
import { Option } from 'commander';
import type { Context } from '../context/context.ts';
import { presented } from '../output/present.ts';
import type { Result } from '../output/result.ts';
import { type OpenApiVersion, openApiDocument } from '../reference/openapi.ts';
import { Command } from './command.ts';
import { prepare } from './prepare.ts';

export function openapiCommand(context: Context): Command {
  return prepare(new Command('openapi'))
    .description('Print the API as an OpenAPI document: JSON, or YAML with -o yaml.')
    .addOption(new Option('--version <version>', 'of OpenAPI').choices(['3.1', '3.0']).default('3.1'))
    .addOption(new Option('--flat', 'related records by id alone: no schema leads in circles'))
    .addHelpText(
      'after',
      '\nGenerators and mocks that can’t take 3.1, or circles: --version 3.0 --flat\n\nExamples:\n  boh openapi -o yaml > openapi.yaml\n  boh openapi --version 3.0 --flat > openapi.json',
    )
    .action(presented(context, (flags: Flags) => run(flags, context)));
}

interface Flags {
  version: OpenApiVersion;
  flat?: boolean;
}

/** Where nothing is configured, the address is that of a served sandbox. */
async function run({ version, flat = false }: Flags, context: Context): Promise<Result> {
  const { baseUrl = 'http://127.0.0.1:4010', apiPrefix, authorizeUrl, tokenUrl } = await context.settings();
  const document = openApiDocument(context.api, {
    baseUrl,
    apiPrefix,
    authorizeUrl,
    tokenUrl,
    version,
    flat,
  });
  return { kind: 'document', document };
}
