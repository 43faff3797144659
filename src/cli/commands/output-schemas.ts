/** The schemas of what commands print for programs: `boh schema output` prints them, and tests validate all outputs with them. */
import * as z from 'zod';
import { exitCodes, type FailureRecord } from '../../base/errors.ts';
import type { ChangeRecord } from '../../engine/manifest/plan/change.ts';
import type { TableDifference } from '../../engine/mirror/diff.ts';
import type { streamedChange } from '../../engine/mirror/query/changes.ts';
import type { ResourceStatus } from '../../engine/mirror/status.ts';
import type { RowResult } from '../../engine/runs/ledger/row.ts';
import type { RunSummary } from '../../engine/runs/ledger/runs.ts';
import type { NotificationEvent } from '../../sandbox/business/events.ts';
import type { PlannedRequest, RecordOutcome } from '../output/result.ts';
import type { EntryJson } from './history/entries.ts';

/** What some commands print. */
export interface OutputSchema {
  about: string;
  /** The commands that print it, or a list of it; none if it is printed by many. */
  commands: readonly string[];
  /** The schema of one entry, if the output is a list. */
  schema: z.ZodType;
}

const text = z.string();
const count = z.int().min(0);
const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable();
const category = z.enum(Object.keys(exitCodes) as (keyof typeof exitCodes)[]);
const named = z.strictObject({ id: text, name: text });
const cells = z.record(text, orNull(z.union([text, z.number()])));
const rowOperation = z.enum(['insert', 'update', 'delete', 'restore', 'remove']);
const timestamp = text.describe('YYYY-MM-DD HH:MM:SS in UTC');

const errorShape = {
  category,
  exit_code: z.int(),
  status: orNull(z.int()).describe('the HTTP status'),
  message: text,
  fields: orNull(z.record(text, z.array(text))).describe('messages by field; _ has those without a field'),
  request: orNull(z.strictObject({ method: text, path: text })),
  hint: orNull(text),
  outcome: z.enum(['not_sent', 'unknown', 'done']).exactOptional().describe('whether a write was applied'),
  retry_after: z.number().exactOptional().describe('seconds'),
  failures: z.array(z.strictObject({ id: text, category, message: text })).exactOptional(),
};
const error = z.strictObject(errorShape) satisfies z.ZodType<FailureRecord>;

const rowError = z.looseObject({
  ...errorShape,
  problems: z.array(z.strictObject({ column: text.exactOptional(), what: text })).exactOptional(),
});

const outcome = z.enum(['done', 'failed', 'unknown', 'not_sent']);

const row = z.strictObject({
  resource: text.exactOptional().describe('in runs over several resources'),
  line: orNull(z.int()).describe('the line of the file, whose header is 1'),
  key: orNull(text),
  action: z.enum(['create', 'update', 'delete', 'restore', 'link', 'unlink', 'skip']),
  id: orNull(text),
  outcome,
  error: orNull(rowError),
  changes: orNull(z.record(text, z.strictObject({ from: z.unknown(), to: z.unknown() }))).exactOptional(),
  waited_for: z.unknown().exactOptional(),
}) satisfies z.ZodType<RowResult>;

const change = z.strictObject({
  action: z.enum(['create', 'update', 'delete']),
  resource: text,
  key: text,
  fields: z.record(text, z.looseObject({})),
  links: z.array(z.looseObject({})).exactOptional(),
  expanded: z.unknown().exactOptional(),
});

const clock = z.strictObject({ now: timestamp, is_frozen: z.boolean(), ahead_seconds: z.number() });

/** The outputs by name. */
export const outputSchemas: Readonly<Record<string, OutputSchema>> = {
  error: {
    about: 'the last line of stderr after a failure, under "error"',
    commands: [],
    schema: error,
  },
  done: {
    about: 'the last line of stderr after upsert and create --if-missing, under "done"',
    commands: [],
    schema: z.strictObject({
      outcome: z.enum(['created', 'updated', 'unchanged', 'restored']),
      id: text,
    }) satisfies z.ZodType<RecordOutcome>,
  },
  row: {
    about: 'a row of a bulk run or of its plan',
    commands: [
      'import',
      'import-links',
      'apply',
      'undo',
      'redo',
      'copy',
      'runs show',
      'runs resume',
      'backup restore',
    ],
    schema: row,
  },
  outcome: {
    about: 'the outcome for one of the records that a command names',
    commands: ['delete', 'restore'],
    schema: z.strictObject({ id: text, action: row.shape.action, outcome, error: orNull(error) }),
  },
  request: {
    about: 'a request that --dry-run shows',
    commands: [],
    schema: z.strictObject({
      method: text,
      url: text,
      body: z.unknown(),
    }) satisfies z.ZodType<PlannedRequest>,
  },
  diff: {
    about: 'differences between accounts, or between files and an account',
    commands: ['diff'],
    schema: z.strictObject({
      changes: z.array(change) satisfies z.ZodType<Omit<ChangeRecord, 'links' | 'fields' | 'expanded'>[]>,
      not_compared: z.array(text).exactOptional(),
    }),
  },
  run: {
    about: 'a bulk run of this machine',
    commands: ['runs list'],
    schema: z.strictObject({
      id: text,
      started_at: timestamp,
      command: text,
      source: orNull(text),
      state: z.enum(['planned', 'unfinished', 'finished']),
      profile: orNull(text),
      account: orNull(text),
      rows: count,
      done: count,
      failed: count,
      unknown: count,
      remaining: count,
    }) satisfies z.ZodType<RunSummary>,
  },
  'history-entry': {
    about: 'a write that boh sent from this machine',
    commands: ['history', 'history show', 'history export'],
    schema: z.looseObject({
      number: z.int(),
      at: timestamp,
      run: text,
      command: orNull(text),
      profile: orNull(text),
      business: orNull(text),
      user: orNull(text),
      resource: orNull(text),
      verb: orNull(text),
      ids: z.array(text),
      fields: z.array(text),
      outcome: text,
      error: orNull(z.looseObject({ category: text, message: text })),
      request: orNull(z.strictObject({ method: text, target: text, body: z.unknown() })),
      before: z.unknown(),
      before_missing: orNull(text),
      after: z.unknown(),
      undoes: orNull(text),
      change: orNull(text),
      forgotten: z.boolean(),
    }) satisfies z.ZodType<Omit<EntryJson, 'outcome'>>,
  },
  blame: {
    about: 'the last write of a field',
    commands: ['blame'],
    schema: z.strictObject({ field: text, number: z.int() }),
  },
  'mirror-sync': {
    about: 'what a sync read of a resource',
    commands: ['mirror sync'],
    schema: z.strictObject({
      resource: text,
      read: orNull(count),
      removed: orNull(count),
      complete: orNull(z.boolean()).describe('whether the complete list was read'),
      error: orNull(text),
    }),
  },
  'mirror-change': {
    about: 'a change that `mirror sync --stream` prints',
    commands: [],
    schema: z.strictObject({
      sequence: z.int(),
      table: text,
      operation: rowOperation,
      key: text,
      resource: text,
      record_id: text,
      seen_after: orNull(timestamp),
      seen_at: timestamp,
      changed: z.array(text).describe('the changed columns'),
      old: orNull(cells),
      new: orNull(cells),
    }) satisfies z.ZodType<ReturnType<typeof streamedChange>>,
  },
  change: {
    about: 'a change in the account, by anyone',
    commands: ['changes'],
    schema: z.strictObject({
      sequence: z.int(),
      seen_after: orNull(timestamp),
      seen_at: timestamp.describe('it happened between these times'),
      resource: text,
      id: text,
      name: orNull(text),
      operation: rowOperation,
      field: orNull(text).describe('null for a change of the record as a whole'),
      old: z.unknown(),
      new: z.unknown(),
      old_name: orNull(text),
      new_name: orNull(text),
      by: orNull(text).describe('the user, if it was made with boh on this machine'),
    }),
  },
  'mirror-status': {
    about: 'the state of a resource in the mirror',
    commands: ['mirror status'],
    schema: z.strictObject({
      resource: text,
      rows: count,
      age: orNull(z.number()).describe('seconds since the last complete sync'),
      last_error: orNull(text),
      synced_at: orNull(text).describe('when the last complete sync ended, in UTC'),
    }) satisfies z.ZodType<ResourceStatus>,
  },
  'mirror-diff': {
    about: 'a table of the mirror, compared with the account',
    commands: ['mirror diff'],
    schema: z.strictObject({
      table: text,
      account_rows: count,
      mirror_rows: count,
      account_checksum: text,
      mirror_checksum: text,
      same: z.boolean(),
    }) satisfies z.ZodType<TableDifference>,
  },
  lint: {
    about: 'a mistake in a record',
    commands: ['lint'],
    schema: z.strictObject({
      severity: text,
      rule: text,
      resource: text,
      id: text,
      name: text,
      part: orNull(text),
      message: text,
      fix: text,
      file: text.exactOptional(),
      line: z.int().exactOptional(),
    }),
  },
  doctor: {
    about: 'a check of the setup',
    commands: ['doctor'],
    schema: z.strictObject({
      check: text,
      status: z.enum(['ok', 'problem', 'warning', 'skipped']),
      message: text,
      remedy: orNull(text),
      category: orNull(category),
    }),
  },
  'auth-status': {
    about: 'the token in use',
    commands: ['auth status'],
    schema: z.strictObject({
      profile: orNull(text),
      base_url: orNull(text),
      sandbox: orNull(text),
      token_from: orNull(text),
      business: orNull(text),
      user: orNull(text),
      scopes: orNull(z.array(text)),
      scopes_from: orNull(text),
      expires_at: orNull(text),
      checked: z.boolean(),
    }),
  },
  'auth-scopes': {
    about: 'whether the token allows a command',
    commands: ['auth scopes'],
    schema: z.strictObject({ resource: text, verb: text, scopes: z.array(text), allowed: z.boolean() }),
  },
  profile: {
    about: 'a profile',
    commands: ['profiles list'],
    schema: z.strictObject({
      name: text,
      active: z.boolean(),
      base_url: orNull(text),
      sandbox: orNull(text),
      business: orNull(text),
      user: orNull(text),
      signed_in: z.boolean(),
      protected: z.boolean(),
      colour: orNull(text),
    }),
  },
  setting: {
    about: 'a setting and its source',
    commands: ['config list'],
    schema: z.strictObject({ name: text, value: z.unknown(), source: orNull(text), summary: text }),
  },
  view: {
    about: 'a saved view',
    commands: ['views list', 'views show'],
    schema: z.strictObject({ name: text, resource: text, flags: z.record(text, z.unknown()), line: text }),
  },
  match: {
    about: 'a record that contains a text',
    commands: ['find'],
    schema: z.looseObject({ resource: text, id: text, name: orNull(text) }),
  },
  backup: {
    about: 'a resource of a backup',
    commands: ['backup'],
    schema: z.strictObject({
      resource: text,
      records: count,
      deleted: orNull(count),
      read: z.enum(['complete', 'changes']),
      unseen: z.array(text),
    }),
  },
  'change-set': {
    about: 'a scheduled change',
    commands: ['change list'],
    schema: z.looseObject({
      name: text,
      state: text,
      at: orNull(timestamp),
      until: orNull(timestamp),
      timezone: text,
      next: orNull(text),
      next_at: orNull(timestamp),
      is_due: z.boolean(),
      run: orNull(text),
      reason: orNull(text),
    }),
  },
  'sandbox-status': {
    about: 'the state of a sandbox',
    commands: ['sandbox status'],
    schema: z.strictObject({
      name: text,
      file: text,
      bytes: count,
      clock,
      fault_rules: count,
      records: z.record(text, z.strictObject({ active: count, deleted: count })),
    }),
  },
  'sandbox-check': {
    about: 'the damage of a sandbox',
    commands: ['sandbox check'],
    schema: z.strictObject({ name: text, file: text, is_undamaged: z.boolean(), problems: z.array(text) }),
  },
  'sandbox-clock': {
    about: 'the clock of a sandbox',
    commands: ['sandbox clock'],
    schema: clock,
  },
  'sandbox-event': {
    about: 'a notification of a sandbox',
    commands: ['sandbox events'],
    schema: z.strictObject({
      sequence: z.int(),
      at: timestamp,
      type: text,
      branch: named,
      subject: z.strictObject({ resource: text, id: text }),
      users: z.array(named),
      notified: text,
    }) satisfies z.ZodType<Omit<NotificationEvent, 'type'>>,
  },
  'sandbox-snapshot': {
    about: 'a snapshot of a sandbox',
    commands: ['sandbox snapshot list'],
    schema: z.strictObject({ name: text, bytes: count, saved_at: timestamp }),
  },
  resource: {
    about: 'a resource with its verbs',
    commands: ['resources'],
    schema: z.strictObject({
      resource: text,
      summary: text,
      verbs: z.array(z.strictObject({ verb: text, scopes: z.array(text) })),
    }),
  },
  version: {
    about: 'the versions of boh and what it runs on',
    commands: ['version'],
    schema: z.strictObject({ boh: text, node: text, platform: text, arch: text, sqlite: orNull(text) }),
  },
};

/** Returns the JSON Schema of an output. */
export function outputJsonSchema({ about, schema }: OutputSchema): object {
  return { ...z.toJSONSchema(schema), description: about };
}
