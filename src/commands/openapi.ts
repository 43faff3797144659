/** `boh openapi`: the contract as an OpenAPI document. */
import { Command } from 'commander';
import { api } from '../resources/index.ts';
import { write } from '../terminal/streams.ts';
import type { Context } from './context.ts';
import { prepare } from './prepare.ts';
import { outputName } from './showing/output.ts';

export function openapiCommand(context: Context): Command {
  return prepare(new Command('openapi'))
    .description('Print the API as an OpenAPI 3.1 document: JSON, or YAML with -o yaml.')
    .addHelpText('after', '\nExample:\n  boh openapi -o yaml > openapi.yaml')
    .action(() => run(context));
}

/** Where nothing is configured, the address is that of a served sandbox. */
async function run(context: Context): Promise<void> {
  const { baseUrl = 'http://127.0.0.1:4010', apiPrefix, authorizeUrl, tokenUrl } = await context.settings();
  const [{ openApiDocument }, { loadFormat }] = await Promise.all([
    import('../reference/openapi.ts'),
    import('../terminal/formats/format.ts'),
  ]);
  const document = openApiDocument(api, { baseUrl, apiPrefix, authorizeUrl, tokenUrl });
  const format = await loadFormat((await outputName(context)) === 'yaml' ? 'yaml' : 'json');
  await write(context.streams.stdout, format.one(document));
}
