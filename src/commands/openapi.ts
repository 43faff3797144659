/** `boh openapi`: prints the contract as an OpenAPI document. */
import { Option } from 'commander';
import type { Context } from '../context/context.ts';
import { createAction } from '../output/present.ts';
import type { Result } from '../output/result.ts';
import { type OpenApiVersion, openApiDocument } from '../reference/openapi.ts';
import { Command } from './command.ts';
import { prepare } from './prepare.ts';

/** Returns the command `boh openapi`. */
export function openapiCommand(context: Context): Command {
  return prepare(new Command('openapi'))
    .description('Print the API as an OpenAPI document in JSON, or in YAML with -o yaml.')
    .addOption(
      new Option('--version <version>', 'the OpenAPI version').choices(['3.1', '3.0']).default('3.1'),
    )
    .addOption(
      new Option(
        '--flat',
        "describe related records only by ID, for generators that don't support circular schemas",
      ),
    )
    .examples('boh openapi -o yaml > openapi.yaml', 'boh openapi --version 3.0 --flat > openapi.json')
    .action(createAction(context, (flags: Flags) => run(flags, context)));
}

/** The flags of `boh openapi`. */
interface Flags {
  version: OpenApiVersion;
  flat?: boolean;
}

/** Returns the OpenAPI document. Without settings, its server is the default URL of `boh sandbox serve`. */
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
