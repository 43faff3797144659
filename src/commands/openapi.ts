/** `boh openapi`: the contract as an OpenAPI document. */
import { Command } from 'commander';
import type { Context } from '../interaction/context.ts';
import { presented } from '../interaction/output/present.ts';
import type { Result } from '../interaction/output/result.ts';
import { prepare } from './prepare.ts';

export function openapiCommand(context: Context): Command {
  return prepare(new Command('openapi'))
    .description('Print the API as an OpenAPI 3.1 document: JSON, or YAML with -o yaml.')
    .addHelpText('after', '\nExample:\n  boh openapi -o yaml > openapi.yaml')
    .action(presented(context, () => run(context)));
}

/** Where nothing is configured, the address is that of a served sandbox. */
async function run(context: Context): Promise<Result> {
  const { baseUrl = 'http://127.0.0.1:4010', apiPrefix, authorizeUrl, tokenUrl } = await context.settings();
  const { openApiDocument } = await import('../reference/openapi.ts');
  const document = openApiDocument(context.api, { baseUrl, apiPrefix, authorizeUrl, tokenUrl });
  return { kind: 'document', document };
}
