/** `boh mirror`: keeps a copy of an account in SQLite or PostgreSQL. Also queries, compares and describes it. */
import { text } from 'node:stream/consumers';
import { formatTimestamp, parseFilterTime } from '../../../api/contract/date-time.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { formatDuration } from '../../../base/duration.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh, type Hint } from '../../../base/hint.ts';
import { isSqliteError, StorageFailure } from '../../../base/storage/failures.ts';
import { compareTables, type TableDifference } from '../../../engine/mirror/diff.ts';
import { findRemainingReferences, forget } from '../../../engine/mirror/forget.ts';
import { lockMirror } from '../../../engine/mirror/lock.ts';
import { queryAsOf } from '../../../engine/mirror/query/as-of.ts';
import { bindParameters, runQuery, unreadResources } from '../../../engine/mirror/query/run-query.ts';
import { requireResettable, resetMirror } from '../../../engine/mirror/reset.ts';
import { type MirroredResource, mirroredResources } from '../../../engine/mirror/schema/derive.ts';
import { parseExcluded } from '../../../engine/mirror/schema/excluded.ts';
import { type ResourceStatus, readMirrorStatus } from '../../../engine/mirror/status.ts';
import { openExistingStore, openReader, withReader } from '../../../engine/mirror/stores/open.ts';
import type { Reader } from '../../../engine/mirror/stores/store.ts';
import { readExcludedNames } from '../../../engine/mirror/sync/exclusions.ts';
import { readForgotten } from '../../../engine/mirror/sync/states.ts';
import type { MirrorTarget } from '../../../engine/mirror/target.ts';
import type { Context } from '../../context/context.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { formatCount } from '../../output/wording.ts';
import { confirmAction } from '../../prompts/confirm.ts';
import { warn } from '../../terminal/messages.ts';
import { startPartsProgress } from '../../terminal/progress.ts';
import type { Command } from '../command.ts';
import { createCommand, groupCommand } from '../declare.ts';
import { type FlagsOf, repeated } from '../flags/flag-table.ts';
import { anyAccountFlag, resourceFlag } from '../flags/shared-flags.ts';
import { schemaCommand } from './schema.ts';
import { syncCommand } from './sync.ts';
import {
  mirrorFlag,
  parseDurationFlag,
  requireMirrorOwner,
  requireOwnMirror,
  resourcesOf,
  targetOf,
} from './target.ts';

export { changesCommand } from './changes.ts';

/** Returns the command `boh mirror` with its subcommands. */
export function mirrorCommand(context: Context): Command {
  const about = 'Keep a copy of the account in SQLite or PostgreSQL, and query it with SQL.';
  return groupCommand('mirror', about, [
    syncCommand(context),
    createCommand(context, {
      name: 'query',
      summary: 'Run a SQL query on the mirror',
      about:
        'Run a SQL query on the mirror, read-only and without a request to the service. For its tables: boh mirror schema. ' +
        'For its age: boh mirror status.',
      args: [
        ['[sql]', 'one query; - reads it from standard input'],
        ['[values...]', 'the value of each ? in the query, in order'],
      ],
      usage: '<sql> [values...] [flags]',
      flags: queryFlags,
      examples: [
        'boh mirror query "select name, phone from customers where name like :name" --param "name=H%"',
      ],
      run: ([sql, values], flags) => query(sql, values, flags, context),
    }),
    createCommand(context, {
      name: 'diff',
      summary: 'Compare the mirror with the account',
      about:
        'Compare the mirror with the account: read all lists, and compare the number of rows and a checksum of each table. ' +
        'Exits with 10 if they differ.',
      flags: diffFlags,
      examples: ['boh mirror diff', 'boh mirror diff --resource customers,tags'],
      run: (_, flags) => compare(flags, context),
    }),
    createCommand(context, {
      name: 'status',
      summary: 'Show the age of each table and the last error',
      about: 'Show the number of rows, their age and the last error of each resource in the mirror.',
      flags: statusFlags,
      examples: ['boh mirror status', 'boh mirror status --max-age 15m'],
      run: (_, flags) => showStatus(flags, context),
    }),
    schemaCommand(context),
    forgetCommand(context),
    resetCommand(context),
  ]);
}

const queryFlags = [
  [
    '--as-of <time>',
    'read the tables as they were at this time: 2d, 2026-11-01, "2026-11-01 14:00:00" (UTC)',
  ],
  ['--param <name=value>', 'the value of :name in the query (repeatable)', repeated],
  mirrorFlag,
] as const;

async function query(
  sqlArgument: string | undefined,
  values: readonly string[],
  flags: FlagsOf<typeof queryFlags>,
  context: Context,
): Promise<Result> {
  const sql = sqlArgument === '-' ? await text(context.streams.stdin) : sqlArgument;
  if (sql === undefined || sql.trim() === '') {
    throw usage('Missing the SQL query.', {
      hint: boh.mirror('mirror query', 'select count(*) from customers'),
    });
  }
  const params = parseParams(flags.param ?? []);
  const target = await targetOf(flags, context);
  const asOf = flags.asOf === undefined ? undefined : parseFilterTime(flags.asOf, context.now());
  if (flags.asOf !== undefined && !asOf)
    throw usage(`--as-of takes a time such as 2d, 2026-11-01 or "2026-11-01 14:00:00", not "${flags.asOf}".`);
  bindParameters(target.kind, sql, params, values);
  const reader = await openReader(target);
  try {
    const resources = mirroredResources(context.api);
    warnIfIncomplete(await unreadResources(sql, reader, resources), context);
    const query = asOf ? await queryAsOf(sql, asOf, reader, resources) : sql;
    const { columns, rows } = await runQuery(reader, bindParameters(target.kind, query, params, values));
    return { kind: 'query-rows', columns, rows, end: () => reader.close() };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** Warns of resources whose lists were never read completely: the query doesn't see all their records. */
function warnIfIncomplete(incomplete: readonly Resource[], context: Context): void {
  if (incomplete.length === 0) return;
  const nouns = incomplete.map(({ nouns }) => nouns).join(', ');
  const names = incomplete.map(({ command }) => command).join(',');
  warn(context.streams, [
    `The mirror has no complete list of ${nouns} yet, so the result may be incomplete. To read them: `,
    boh.mirror('mirror sync', '--resource', names),
  ]);
}

function parseParams(params: readonly string[]): Map<string, string> {
  const pairs = params.map((param) => /^:?([A-Za-z_]\w*)=(.*)$/s.exec(param));
  const invalidParams = params.filter((_, index) => !pairs[index]);
  if (invalidParams.length > 0) throw usage(`--param takes NAME=VALUE, not ${invalidParams.join(', ')}.`);
  return new Map(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', pair[2] ?? '']] : [])));
}

const diffFlags = [
  resourceFlag(),
  mirrorFlag,
  anyAccountFlag('compare with a mirror of another account'),
] as const;

async function compare(flags: FlagsOf<typeof diffFlags>, context: Context): Promise<Result> {
  const target = await targetOf(flags, context);
  const names = (await resourcesOf(flags, mirroredResources(context.api), context)).map(
    ({ resource }) => resource.name,
  );
  const reader = await openReader(target);
  const differences: TableDifference[] = [];
  try {
    const session = await context.session();
    await requireMirrorOwner(reader, flags, context);
    const excludedFields = parseExcluded(context.api, await readExcludedNames(reader));
    const forgotten = await readForgotten(reader);
    const selectedResources = mirroredResources(context.api, excludedFields).filter(({ resource }) =>
      names.includes(resource.name),
    );
    const progress = startPartsProgress(context.streams, selectedResources.length);
    try {
      for (const mirrored of selectedResources) {
        progress.startPart(`Reading ${mirrored.resource.nouns}`);
        differences.push(...(await compareTables(session, reader, mirrored, forgotten, progress.update)));
      }
    } finally {
      progress.done();
    }
  } finally {
    await reader.close();
  }
  const differentTables = differences.filter(({ same }) => !same).map(({ table }) => table);
  const message = `The mirror differs from the account in ${differentTables.join(', ')}.`;
  const hint = boh.hint`To read what changed since the last sync: ${boh.mirror('mirror sync')}. To read everything: --full`;
  return {
    kind: 'data',
    data: differences,
    idField: 'table',
    columns: [
      { name: 'table', isIndivisible: true },
      { name: 'account_rows', align: 'right' },
      { name: 'mirror_rows', align: 'right' },
      { name: 'same' },
    ],
    expectedFailure: differentTables.length === 0 ? undefined : new Failure('differences', message, { hint }),
  };
}

const statusFlags = [
  ['--max-age <time>', 'exit with 10 if rows are older, for example 15m or 900 (seconds)'],
  resourceFlag(),
  mirrorFlag,
] as const;

async function showStatus(flags: FlagsOf<typeof statusFlags>, context: Context): Promise<Result> {
  const maxAgeSeconds = flags.maxAge === undefined ? undefined : parseDurationFlag(flags.maxAge, '--max-age');
  const target = await targetOf(flags, context);
  const resources = await resourcesOf(flags, mirroredResources(context.api), context);
  const readStatus = async (reader: Reader) => {
    const status = await readMirrorStatus(reader, resources, context.now(), flags.resource === undefined);
    return { label: reader.label, status };
  };
  const { label, status } = await withReader(target, readStatus);
  return {
    kind: 'data',
    data: status,
    idField: 'resource',
    columns: [
      { name: 'resource', isIndivisible: true },
      { name: 'rows', align: 'right' },
      { name: 'age', align: 'right', show: (age) => formatDuration(Number(age) * 1000) },
      { name: 'last_error' },
    ],
    notes: [...errorNotes(status, context), `Mirror: ${label}`],
    expectedFailure: outdatedFailure(status, flags.maxAge, maxAgeSeconds),
  };
}

/** Returns the failure if rows are older than `--max-age`. */
function outdatedFailure(
  status: readonly ResourceStatus[],
  maxAge: string | undefined,
  maxAgeSeconds = Number.POSITIVE_INFINITY,
): Failure | undefined {
  if (maxAge === undefined) return undefined;
  const outdatedResources = status.filter(({ age }) => age === null || age > maxAgeSeconds);
  if (outdatedResources.length === 0) return undefined;
  const names = outdatedResources.map(({ resource, age }) =>
    age === null ? `${resource} (never)` : `${resource} (${formatDuration(age * 1000)})`,
  );
  const hint = boh.mirror('mirror sync');
  return new Failure('differences', `Older than ${maxAge}: ${names.join(', ')}.`, { hint });
}

/** Returns each error with its resources as a note: on a terminal the table may cut it. */
function errorNotes(status: readonly ResourceStatus[], { streams }: Context): string[] {
  if (!streams.isTerminal.out) return [];
  const failedResources = status.filter(({ last_error: reason }) => reason !== null);
  return [...Map.groupBy(failedResources, ({ last_error: reason }) => reason)].map(
    ([reason, statuses]) => `${statuses.map(({ resource }) => resource).join(', ')}: ${reason}`,
  );
}

// `boh mirror forget` removes records from the mirror, which later syncs skip; `boh mirror reset` deletes the mirror.

const forgetFlags = [mirrorFlag, anyAccountFlag('remove records from a mirror of another account')] as const;

function forgetCommand(context: Context): Command {
  return createCommand(context, {
    name: 'forget',
    summary: 'Remove records from the mirror permanently',
    about:
      "Remove records from the mirror permanently: later syncs skip them. Asks for confirmation; the account doesn't change.",
    args: [
      ['[resource]', 'such as customers'],
      ['[ids...]', 'the IDs of the records'],
    ],
    usage: '<resource> <id>... [flags]',
    flags: forgetFlags,
    examples: ['boh mirror forget customers 42'],
    dryRun: true,
    run: ([resource, ids], flags) => forgetRecords(resource, ids, flags, context),
  });
}

async function forgetRecords(
  resourceName: string | undefined,
  requestedIds: readonly string[],
  flags: FlagsOf<typeof forgetFlags>,
  context: Context,
): Promise<Result> {
  const ids = [...new Set(requestedIds)];
  const allResources = mirroredResources(context.api);
  const mirrored = allResources.find(
    ({ resource }) => resource === context.api.findResource(resourceName ?? ''),
  );
  if (!mirrored)
    throw usage(
      resourceName === undefined ? 'Missing the resource.' : `The mirror has no resource "${resourceName}".`,
      {
        hint: boh.mirror('mirror forget', 'customers', 'ID', '--yes'),
      },
    );
  if (ids.length === 0 || ids.includes('')) throw usage(`Missing the IDs of the ${mirrored.resource.nouns}.`);
  if (ids.some((id) => id.startsWith('@')))
    throw usage('mirror forget takes IDs, not names: a name can move to another record.', {
      hint: boh.hint`To find the ID: ${boh.account(`${mirrored.resource.command} get`, ids.find((id) => id.startsWith('@')) ?? '', '-o', 'id')}`,
    });
  const target = await targetOf(flags, context);
  await requireOwnMirror(() => openReader(target), flags, context);
  if (context.globals.dryRun)
    return messageResult(`Would remove ${formatCount(mirrored.resource, ids.length)} from the mirror.`);
  const { noun, nouns } = mirrored.resource;
  const recordText = ids.length === 1 ? `the ${noun} ${ids[0]}` : `${ids.length} ${nouns}`;
  await confirmAction({ action: `remove ${recordText} from the mirror permanently` }, context);
  const lock = await lockMirror(target, { shouldWait: true, signal: context.signal, env: context.env });
  try {
    const store = await openExistingStore(target, allResources);
    try {
      const results = await forget(store, { mirrored, ids, now: formatTimestamp(context.now()) });
      const references = await findRemainingReferences(store, allResources, mirrored, ids);
      return {
        kind: 'data',
        data: results,
        idField: 'id',
        columns: [{ name: 'resource' }, { name: 'id' }, { name: 'was_in_mirror' }],
        notes: references.map(({ table, ids: rowIds }) => referenceNote(mirrored, table, rowIds)),
      };
    } finally {
      await store.close();
    }
  } finally {
    await lock.release();
  }
}

function referenceNote({ resource }: MirroredResource, table: string, ids: readonly string[]): Hint {
  return boh.hint`Rows of ${table} still refer to the ${resource.noun}. To remove them too: ${boh.mirror('mirror forget', table.replaceAll('_', '-'), ...ids)}`;
}

const resetFlags = [mirrorFlag, anyAccountFlag('delete a mirror of another account')] as const;

type ResetFlags = FlagsOf<typeof resetFlags>;

function resetCommand(context: Context): Command {
  return createCommand(context, {
    name: 'reset',
    summary: 'Delete the mirror',
    about:
      "Delete the mirror; the next sync creates a new one. Asks for confirmation; the account doesn't change.",
    flags: resetFlags,
    examples: ['boh mirror reset --to sqlite:mirror.sqlite'],
    dryRun: true,
    run: (_, flags) => reset(flags, context),
  });
}

async function reset(flags: ResetFlags, context: Context): Promise<Result> {
  const target = await targetOf(flags, context);
  const { label } = target;
  // This is checked before the confirmation, and before a lock file is created next to the mirror.
  requireResettable(target);
  await requireOwnIfReadable(target, flags, context);
  if (context.globals.dryRun) return messageResult(`Would delete the mirror ${label}.`);
  await confirmAction({ action: `delete the mirror ${label}` }, context);
  const lock = await lockMirror(target, { shouldWait: false, signal: context.signal, env: context.env });
  try {
    const newPath = await resetMirror(target, mirroredResources(context.api));
    return messageResult(
      ...(newPath === undefined ? [] : [`The damaged file was renamed to ${newPath}`]),
      `Mirror ${label} deleted. The next sync creates a new one.`,
    );
  } finally {
    await lock.release();
  }
}

/** Throws if the mirror belongs to another account. The owner of a damaged mirror is unknown: it can be deleted. */
async function requireOwnIfReadable(
  target: MirrorTarget,
  flags: ResetFlags,
  context: Context,
): Promise<void> {
  try {
    await requireOwnMirror(() => openReader(target, { allowsAnyVersion: true }), flags, context);
  } catch (error) {
    const isDamaged = error instanceof StorageFailure && error.problem === 'damaged';
    // A missing table is reported as an SQLite error.
    if (!isDamaged && !isSqliteError(error)) throw error;
  }
}
