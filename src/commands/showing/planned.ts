/** What `--dry-run` shows instead of sending: each request, as it would go out, with secrets masked. */
import type { HttpRequest } from '../../client/transport.ts';
import { note } from '../../terminal/messages.ts';
import { write } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { maskBody } from './mask.ts';
import { outputName } from './output.ts';

/** Fields that are secrets in any resource stand masked, so that a dry run can be shown to others. */
export async function printPlanned(context: Context, requests: readonly HttpRequest[]): Promise<void> {
  const { streams } = context;
  const { baseUrl = '' } = await context.settings();
  const name = await outputName(context);
  if (requests.some(holdsLookup))
    note(streams, 'What stands after @ (%40) is looked up only when this is really sent.');
  const planned = requests.map(({ method, target, body }) => ({
    method,
    url: `${baseUrl}${target}`,
    body: body === undefined ? null : maskBody(JSON.parse(body)),
  }));
  if (name === 'table') {
    const { cleanText } = await import('../../terminal/clean.ts');
    const texts = planned.map(
      ({ method, url, body }) =>
        `${method} ${url}\n${body === null ? '' : `${JSON.stringify(body, null, 2)}\n`}`,
    );
    return write(streams.stdout, cleanText(texts.join('\n')));
  }
  const { loadFormat } = await import('../../terminal/formats/format.ts');
  const format = await loadFormat(name === 'id' ? 'json' : name, { terminal: streams.isTerminal.out });
  const [only] = planned;
  if (planned.length === 1 && only) return write(streams.stdout, format.one(only));
  for await (const text of format.many(planned)) await write(streams.stdout, text);
}

/** Ids that begin with @, in the address or as an id of the body; a text may begin with it, too. */
function holdsLookup({ target, body = '' }: HttpRequest): boolean {
  return /[/=,]%40/.test(target) || /"(?:\w+_)?id":"@/.test(body);
}
