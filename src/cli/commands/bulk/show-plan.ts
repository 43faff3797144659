/** Formats the plans of imports, `--where`, applies, undos, copies and restores. */

import { bodyFrom } from '../../../account/session/record-body.ts';
import { isRow } from '../../../account/session/row.ts';
import type { Api } from '../../../api/contract/api.ts';
import { isListOrParts } from '../../../api/contract/comma-list.ts';
import type { Field } from '../../../api/contract/field.ts';
import { takesEffect } from '../../../api/contract/irreversible.ts';
import { isDocumentLines, plainBodyField } from '../../../api/contract/operation.ts';
import { formatInput } from '../../../api/contract/value-text.ts';
import { formatDuration } from '../../../base/duration.ts';
import { type FieldMessages, usage } from '../../../base/errors.ts';
import { shortenLongValues, shortenValue } from '../../../base/short-value.ts';
import { formatCount, maxShownItems } from '../../../base/shown-items.ts';
import type { Ledger } from '../../../engine/runs/ledger/ledger.ts';
import { type Intent, type LedgerRow, resultOf } from '../../../engine/runs/ledger/row.ts';
import type { PlanWords } from '../../../engine/runs/ledger/saved-plan.ts';
import { formatPriceChange } from '../../../engine/runs/limits.ts';
import type { Plan } from '../../../engine/runs/plan.ts';
import { operationOf } from '../../../engine/runs/send-row.ts';
import type { Context } from '../../context/context.ts';
import type { RunResult } from '../../output/result.ts';
import { answerOf, describeChange, readNames } from '../../prompts/answer.ts';
import { showEffect } from '../../prompts/confirm-changes.ts';
import type { NamedRecord } from '../../prompts/record-entries.ts';
import { cleanLine, spaceAfter } from '../../terminal/clean.ts';
import { note } from '../../terminal/messages.ts';

/** The maximum number of invalid rows in a failure. The results and the file of failed rows contain all of them. */
const maxReportedRows = 100;

/** Returns a failed result with the invalid rows. Returns undefined if there are none, or if they are skipped and other rows are valid. */
export function refuseInvalidRows(
  ledger: Ledger,
  { label }: PlanWords,
  { skipInvalid }: { skipInvalid?: boolean },
): RunResult | undefined {
  const invalidCount = ledger.count('bad');
  if (invalidCount === 0 || (skipInvalid && ledger.count() > invalidCount)) return undefined;
  const fields: FieldMessages = Object.create(null);
  const rowsByLocation = Map.groupBy(ledger.rows('bad').take(maxReportedRows), describeLocation);
  for (const [location, rows] of rowsByLocation) {
    // Several rows can be on one line: then the key identifies the row.
    const keyPrefix = (key: string | null) => (rows.length > 1 && key !== null ? `${key}: ` : '');
    fields[location] = rows.map(({ key, error }) => keyPrefix(key) + (error?.message ?? ''));
  }
  const listedNote =
    invalidCount > maxReportedRows ? `, the first ${maxReportedRows} of which are listed here` : '';
  const failure = usage(
    `${label} has ${invalidCount} invalid ${invalidCount === 1 ? 'row' : 'rows'}${listedNote}; nothing was sent.`,
    {
      fields,
      hint: `${skipInvalid ? 'Fix these rows: no row is valid.' : 'Fix these rows, or skip them with --skip-invalid.'}${invalidCount > maxShownItems ? ' To list each as JSON: -o ndjson' : ''}`,
    },
  );
  async function* rows() {
    for (const row of ledger.rows('bad')) yield resultOf(row);
  }
  // The failure lists the rows for people.
  return { kind: 'run', isReading: true, rows: rows(), lines: () => [], end: async () => ({ failure }) };
}

/** Returns every row of a plan with its changes by field. The text for people omits rows without changes. */
export function planResult(
  { ledger }: Plan,
  words: PlanWords,
  { api }: Context,
  end: RunResult['end'],
  records: readonly NamedRecord[] = [],
): RunResult {
  async function* rows() {
    for (const row of ledger.rows('planned', 'done', 'bad', 'read'))
      yield {
        ...resultOf(row),
        ...(row.state === 'read' && { action: requestedAction(row) }),
        changes: changesOf(row),
      };
  }
  function* lines(isTerminal: boolean) {
    const options = { isTerminal, api, resource: resourceIn(ledger), showsFullValues: true, records };
    for (const row of ledger.rows('planned', 'bad', 'read')) {
      if (row.state === 'bad') yield formatExcludedRow(row, words);
      else
        yield formatPlannedRow(
          row.state === 'read' ? { ...row, action: requestedAction(row) } : row,
          options,
        );
    }
  }
  const hasResources = ledger.hasResources();
  return { kind: 'run', isReading: true, isPlan: true, hasResources, rows: rows(), lines, end };
}

/** Formats an excluded row: `line 4: skipped: cost must be a number.` In other plans the reason is a whole sentence. */
function formatExcludedRow(row: LedgerRow, { excluded }: PlanWords): string {
  return cleanLine(
    `${describeLocation(row)}: ${excluded === undefined ? 'skipped: ' : ''}${row.error?.message ?? ''}`,
  );
}

/** Returns the resource that a run writes to; undefined if it writes to several. */
export function resourceIn(ledger: Ledger): string | undefined {
  const name = ledger.property('resource');
  return typeof name === 'string' ? name : undefined;
}

/** Returns the action that the file asks for. Offline it replaces the real action, because the records can't be read. */
function requestedAction({ intent }: LedgerRow): Exclude<Intent['command'], 'upsert'> {
  const { command } = intent as Intent;
  return command === 'upsert' ? 'update' : command;
}

/** Returns the changes of a row by field, each with the value before and after. */
export function changesOf({ changes }: LedgerRow) {
  return (
    changes && Object.fromEntries(Object.entries(changes).map(([name, [from, to]]) => [name, { from, to }]))
  );
}

/** Reports the summary of a plan: records by action, the number of requests, and the estimated time. */
export function reportPlan(plan: Plan, words: PlanWords, { streams }: Context): void {
  note(streams, summarizePlan(plan, words));
  const { requests, duration } = plan;
  if (requests > 0) {
    const time = duration ? `, about ${formatDuration(duration.ms)} at ${duration.limit}` : '';
    note(streams, `${formatCount(requests)} ${requests === 1 ? 'request' : 'requests'}${time}.`);
  }
}

/** Returns the summary of a plan: `prices.csv: 120 customers (2 to create, 117 to update, 1 unchanged).` */
export function summarizePlan(
  { counts, unchanged, excluded, total }: Pick<Plan, 'counts' | 'unchanged' | 'excluded' | 'total'>,
  words: PlanWords,
): string {
  const { label, resource } = words;
  const parts = [
    ...[...counts].map(([action, count]) => [count, `to ${action}`] as const),
    [unchanged, words.unchanged ?? 'unchanged'] as const,
    [excluded, words.excluded ?? 'invalid (skipped)'] as const,
  ].flatMap(([count, status]) => (count > 0 ? [`${formatCount(count)} ${status}`] : []));
  const records = `${formatCount(total)} ${total === 1 ? resource.noun : resource.nouns}`;
  return `${label}: ${records} (${parts.join(', ') || 'nothing to do'}).`;
}

/** Lists the first excluded rows. */
export function reportExcluded({ ledger }: Plan, words: PlanWords, { streams }: Context): void {
  const lines = ledger.rows('bad').map((row) => formatExcludedRow(row, words));
  reportFirstLines(lines, ledger.count('bad'), streams);
}

/** Lists the first rows that would be sent. */
export async function reportChanges(
  plan: Plan,
  { isOnlyExistingListed }: PlanWords,
  context: Context,
): Promise<void> {
  const { streams, api } = context;
  const { ledger } = plan;
  const isListed = ({ id }: LedgerRow) => !isOnlyExistingListed || id !== null;
  const firstRows = ledger.rows('planned').filter(isListed).take(maxShownItems);
  const records = await readChangedNames(firstRows, plan, context);
  const options = { api, resource: resourceIn(ledger), isTerminal: streams.isTerminal.err, records };
  const previewedRows = ledger.rows('planned').filter(isListed);
  const lines = previewedRows.map((row) => formatPlannedRow(row, options));
  reportFirstLines(lines, ledger.count('planned'), streams);
}

/** The maximum number of records whose effects are shown. */
const maxEffects = 5;

/** Shows what the first records do when they take effect. */
export async function reportEffects({ ledger, session }: Plan, context: Context): Promise<void> {
  if (!session) return;
  const effects = ledger.rows('planned').flatMap((row) =>
    row.steps.flatMap((step) => {
      const operation = operationOf(step, session);
      return takesEffect(operation, step.body ?? {}, step.known) ? [{ row, step, operation }] : [];
    }),
  );
  for (const { row, step, operation } of effects.take(maxEffects)) {
    const { known, ids, body = {} } = step;
    const call = { operation, ids: ids.map(String) };
    const isComplete = operation.body.every(
      ({ responseName, field }) => !isDocumentLines(field) || Object.hasOwn(known ?? {}, responseName),
    );
    const current =
      known && isComplete
        ? { id: row.id ?? '', record: known, ...bodyFrom(operation, known) }
        : operation.effect === 'update' && (await session.updates.current(call));
    await showEffect(context, operation, body, current || undefined);
  }
}

/** Returns the related records that the changes of rows add, remove or change, if the token may read them. */
async function readChangedNames(
  rows: Iterable<LedgerRow>,
  { ledger, session }: Plan,
  { api }: Pick<Context, 'api'>,
): Promise<NamedRecord[]> {
  const idsByTarget = new Map<string, Set<string>>();
  for (const row of rows) {
    const fields = api.resource(row.resource ?? resourceIn(ledger) ?? '')?.fields ?? {};
    for (const [name, values] of Object.entries(row.changes ?? {})) {
      const [fieldName = '', linkedId] = name.split(' ');
      const target = fields[fieldName]?.traits.target;
      if (target === undefined) continue;
      const ids = idsByTarget.get(target) ?? new Set();
      idsByTarget.set(target, ids);
      for (const value of [linkedId, ...(linkedId === undefined ? values.flat() : [])]) {
        const id = isRow(value) ? value.id : value;
        if (typeof id === 'string') ids.add(id);
      }
    }
  }
  if (!session) return [];
  const records: NamedRecord[] = [];
  for (const [target, ids] of idsByTarget)
    if (ids.size > 0) records.push(...(await readNames(session, target, [...ids])));
  return records;
}

/** The maximum number of rows of a dry run whose related records are named. */
const maxNamedRows = 50;

/** Returns the related records for the text of a dry run on a terminal; none if it has many rows. */
export async function namesForPreview(plan: Plan, context: Context): Promise<NamedRecord[]> {
  const { ledger } = plan;
  if (!context.streams.isTerminal.out || ledger.count('planned') > maxNamedRows) return [];
  return readChangedNames(ledger.rows('planned'), plan, context);
}

function reportFirstLines(lines: IteratorObject<string>, total: number, streams: Context['streams']): void {
  let printedCount = 0;
  for (const line of lines.take(maxShownItems)) {
    note(streams, `  ${line}`);
    printedCount++;
  }
  if (total > printedCount && printedCount > 0)
    note(streams, `  … and ${formatCount(total - printedCount)} more (--dry-run shows all)`);
}

interface LineOptions {
  api: Api;
  /** The resource that the run writes to, if its rows don't name one. */
  resource?: string | undefined;
  /** Whether the output is a terminal, where right-to-left text needs spacing. */
  isTerminal: boolean;
  /** The related records whose names are known. */
  records?: readonly NamedRecord[];
  /** Whether long values are printed in full. */
  showsFullValues?: boolean;
}

/** Formats a planned row: `line 4: update inventory-item-1 (Tomatoes) cost 4.5 → 4.95 (+10%)`. */
export function formatPlannedRow(
  row: LedgerRow,
  { isTerminal, showsFullValues = false, records = [], ...options }: LineOptions,
): string {
  const { action, changes } = row;
  const resource = options.api.resource(row.resource ?? options.resource ?? '');
  // The change of a deletion is only its timestamp.
  const displayedChanges = action === 'delete' ? {} : (changes ?? {});
  const labelOf = (value: unknown) => records.find(({ id }) => id === value)?.label;
  const fields = Object.entries(displayedChanges).map(([key, [from, to]]) => {
    // The key of a link has its ID: `items 42 cost`.
    const [fieldName = '', linkedId, ...otherParts] = key.split(' ');
    const name = [fieldName, labelOf(linkedId) ?? linkedId, ...otherParts].filter(Boolean).join(' ');
    const field = resource?.fields[key];
    const format = (value: unknown) => {
      if (field?.kind === 'one') return labelOf(value) ?? formatValue(value, field, showsFullValues);
      return field?.kind === 'many' && records.length > 0
        ? answerOf(field, value, undefined, records).display
        : formatValue(value, field, showsFullValues);
    };
    if (action === 'create') return `${name} ${format(to)}`;
    if (field && isListOrParts(field) && Array.isArray(from) && Array.isArray(to))
      return `${name} ${describeChange(plainBodyField(name, field), answerOf(field, from, undefined, records), answerOf(field, to, undefined, records))}`;
    const oldText = format(from);
    const percent = resource && formatPriceChange(row, resource, key);
    const suffix = percent ? ` (${percent})` : '';
    return `${name} ${oldText}${isTerminal ? spaceAfter(oldText) : ' '}→ ${format(to)}${suffix}`;
  });
  return cleanLine(`${describeRow(row, options)} ${fields.join(', ')}`.trim());
}

/** Formats a row that was sent: `line 4: update inventory-item-1 (Tomatoes): done`. */
export function formatResultRow(row: LedgerRow, options: Omit<LineOptions, 'isTerminal'>): string {
  const { error } = row;
  const isUnchanged = row.action === 'skip' && row.state === 'done';
  const outcome = isUnchanged ? 'unchanged' : resultOf(row).outcome.replace('_', ' ');
  return cleanLine(
    `${describeRow(row, options)}: ${outcome}${error ? `: ${shortenLongValues(error.message)}` : ''}`,
  );
}

/** Returns the line number of a row in its file, or else its resource and key. */
function describeLocation({ line, resource, key }: LedgerRow): string {
  if (line === null) return `${resource ?? ''} ${key ?? ''}`.trim();
  return resource === null ? `line ${line}` : `${resource} line ${line}`;
}

function describeRow(row: LedgerRow, options: Pick<LineOptions, 'api' | 'resource'>): string {
  const { line, resource, key, action, id } = row;
  // Names can be ambiguous, so the ID follows; rows of a file have their line number.
  const showsId = line === null && key !== null && id !== null && !key.includes(id);
  const detail = showsId ? id : titleOf(row, options);
  const name = key === null ? null : shortenValue(key);
  const parts = [action === 'skip' ? null : action, resource, name, detail && `(${shortenValue(detail)})`];
  return `${line === null ? '' : `line ${line}: `}${parts.filter(Boolean).join(' ')}`;
}

/** Returns the title of the record, if its key is something else, such as an ID. */
function titleOf(
  { steps, key, action, resource: rowResource }: LedgerRow,
  { api, resource }: Pick<LineOptions, 'api' | 'resource'>,
) {
  const title = api.resource(rowResource ?? resource ?? '')?.title;
  const recordBefore = steps.find(({ known }) => known)?.known;
  const name = title === undefined || action === 'create' ? undefined : recordBefore?.[title];
  return typeof name === 'string' && name !== '' && !key?.includes(name) ? name : undefined;
}

/** Formats a value like the value of a flag: `draft`, `SKU-001=24`. */
function formatValue(value: unknown, field: Field | undefined, showsFullValues: boolean): string {
  const inputValue = field && value !== null && value !== undefined ? formatInput(field, value) : undefined;
  const text =
    value === undefined ? '?' : typeof value === 'string' ? value : (inputValue ?? JSON.stringify(value));
  return showsFullValues ? text : shortenValue(text, 40);
}
