/** `boh openapi`: prints the contract as an OpenAPI document. */
import { Option } from 'commander';
import type { Context } from '../context/context.ts';
import { createAction } from '../output/present.ts';
import type { Result } from '../output/result.ts';
import { openApiDocument } from '../reference/openapi.ts';
import { Command } from './command.ts';
import { prepare } from './prepare.ts';

/** Returns the command `boh openapi`. */
export function openapiCommand(context: Context): Command {
  return prepare(new Command('openapi'))
    .description('Print the API as an OpenAPI 3.1 document in JSON, or in YAML with -o yaml.')
    .addOption(
      new Option(
        '--flat',
        "describe related records only by ID, for generators that don't support circular schemas",
      ),
    )
    .examples('boh openapi -o yaml > openapi.yaml', 'boh openapi --flat > openapi.json')
    .action(createAction(context, (flags: Flags) => run(flags, context)));
}

/** The flags of `boh openapi`. */
interface Flags {
  flat?: boolean;
}

/** Returns the OpenAPI document. Without settings, its server is the default URL of `boh sandbox serve`. */
async function run({ flat = false }: Flags, context: Context): Promise<Result> {
  const { baseUrl = 'http://127.0.0.1:4010', apiPrefix, authorizeUrl, tokenUrl } = await context.settings();
  const document = openApiDocument(context.api, { baseUrl, apiPrefix, authorizeUrl, tokenUrl, flat });
  return { kind: 'document', document };
}
