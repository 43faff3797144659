/** `boh api METHOD PATH`: sends any request, even if the contract doesn't have it. */

import { plainQuery } from '../../account/client/request.ts';
import { type Envelope, jsonOf, recordIn, rowsIn } from '../../account/client/response.ts';
import type { Row } from '../../account/client/shape.ts';
import type { Session } from '../../account/session/session.ts';
import { isWrite } from '../../api/contract/operation.ts';
import { usage } from '../../base/errors.ts';
import type { Context } from '../context/context.ts';
import { dataSource, readData } from '../input/read-input.ts';
import { dryRunResult, type Result } from '../output/result.ts';
import { askToContinue, requireYes } from '../prompts/confirm.ts';
import { warn } from '../terminal/messages.ts';
import type { Command } from './command.ts';
import { createCommand } from './declare.ts';
import { type FlagsOf, orNone, repeated, under } from './flags/flag-table.ts';
import { apiMethods } from './hand-written.ts';

const apiFlags = [
  ['--query <key=value>', 'a query parameter (repeatable)', { ...repeated, ...orNone }],
  ['--data <json>', 'the body as JSON, @FILE, or - for standard input'],
  ['--paginate', 'GET all pages and print all rows'],
  ...under('Advanced:', [
    ['--encoding <name>', 'encoding of the file or of standard input (default: utf-8)'],
  ]),
] as const;

export function apiCommand(context: Context): Command {
  return createCommand(context, {
    name: 'api',
    about: 'Send any request to the API. A DELETE asks for confirmation.',
    args: [
      ['<method>', apiMethods.join(', ')],
      ['<path>', 'the path after base URL and prefix, for example /customers/42; sent unchanged, also /../'],
    ],
    flags: apiFlags,
    examples: [
      'boh --sandbox api GET /customers --query "filter[name]=Huda Al-Amin"',
      'boh --sandbox api GET /tags --paginate',
    ],
    dryRun: true,
    run: ([method, path], flags) => runApi(method, path, flags, context),
  });
}

async function runApi(
  methodText: string,
  path: string,
  options: FlagsOf<typeof apiFlags>,
  context: Context,
): Promise<Result> {
  const method = methodText.toUpperCase();
  if (!apiMethods.includes(method))
    throw usage(`Unknown method ${methodText}.`, { hint: `Methods: ${apiMethods.join(', ')}.` });
  if (!path.startsWith('/')) throw usage('The path must begin with a slash, such as /customers.');
  if (/[\s\p{Cc}]/u.test(path))
    throw usage('The path contains a space or a control character: percent-encode it.');
  if (options.paginate && method !== 'GET') throw usage('--paginate can only be used with GET.');
  const source = dataSource(options);
  const body = source && (await readData(source, context.streams));
  const query = plainQuery(options.query.map(parsePair));
  const target = path + (path.includes('?') ? query.replace('?', '&') : query);
  const request = { method, target, body: body && JSON.stringify(body) };
  const session = await context.session();
  const { envelope, pageParam } = session.settings.wire;
  if (options.paginate && hasPageParam(pageParam, path, options.query)) {
    throw usage(`--paginate can't be used with ${pageParam}=.`);
  }
  if (options.paginate) {
    if (context.globals.dryRun) {
      const { planned: plannedRequest } = await session.raw(request);
      return dryRunResult(context, plannedRequest ? [plannedRequest] : []);
    }
    return { kind: 'value', request, value: await readAllRows(session, target) };
  }
  // The permission is checked before the confirmation: without it there is nothing to confirm.
  const operation = context.api.findOperation(method, target);
  if (operation) await session.permissions.checkPermission({ operation, body });
  const notifyPlanned = () => session.permissions.notifyPlanned([operation ? { operation } : {}]);
  await confirmDelete(method, target, context, notifyPlanned);
  const result = await session.raw(request);
  if (result.planned) return dryRunResult(context, [result.planned]);
  const { response, loss } = result;
  if (loss) warn(context.streams, [`${loss.message}\n`, loss.hint]);
  const requestInfo = { method, path: target, subject: target };
  if (response.body.trim() === '') return { kind: 'nothing' };
  const value = jsonOf(response, requestInfo);
  const hasWritten = method !== 'GET' || (operation !== undefined && isWrite(operation));
  return {
    kind: 'value',
    request,
    value,
    // Some formats print the records in the envelope, not the whole value.
    ...recordsIn(value, envelope),
    ...(hasWritten && {
      completedWrite: { message: completionMessage(method, path, recordIn(value, envelope)) },
    }),
  };
}

function recordsIn(value: unknown, envelope: Envelope): { rows?: unknown[] } {
  const record = recordIn(value, envelope);
  const rows = rowsIn(value, envelope) ?? (record ? [record] : undefined);
  return rows ? { rows } : {};
}

function completionMessage(method: string, path: string, record: Row | undefined): string {
  const id = typeof record?.id === 'string' ? `; the ID is ${record.id}` : '';
  return `${method} ${path} succeeded${id}.`;
}

function hasPageParam(param: string, path: string, query: readonly string[]): boolean {
  const [, pathQuery = ''] = path.split('?');
  return new URLSearchParams(pathQuery).has(param) || query.some((pair) => pair.startsWith(`${param}=`));
}

/** Asks before any DELETE. Without a terminal it requires `--yes`. */
async function confirmDelete(
  method: string,
  target: string,
  context: Context,
  notifyPlanned: () => Promise<void>,
): Promise<void> {
  if (method !== 'DELETE' || context.globals.yes || context.globals.dryRun) return;
  requireYes({ action: `DELETE ${target}` }, context);
  await notifyPlanned();
  await askToContinue(`DELETE ${target}?`, context);
}

async function readAllRows(session: Session, target: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const page of session.rawPages(target)) rows.push(...page.rows);
  return rows;
}

function parsePair(pair: string): [string, string] {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
  if (key === undefined || value === undefined) throw usage(`--query takes KEY=VALUE, not ${pair}.`);
  return [key, value];
}
