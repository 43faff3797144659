/** Matches rows with records by id or key, refuses rows that match several, and decides what is to be done. */

import { usage } from '../../base/errors.ts';
import { isWrittenAs } from '../../contract/key-form.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Intent } from '../../runs/intent.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import type { LedgerRow, RowChange } from '../../runs/ledger/row.ts';
import {
  idKey,
  type Key,
  matchingRows,
  matchKeyOfId,
  matchKeyOfRow,
  partsOfMatchKey,
  requestName,
  textOfMatchKey,
  usesReferences,
  writtenIn,
} from '../../runs/match-key.ts';
import { linesOf, rowError } from '../../runs/row-error.ts';
import { filterForKey, findRecords } from '../../session/find-records.ts';
import { differInZeros, recordsWithOtherZeros } from '../../session/leading-zeros.ts';
import { isDeleted } from '../../session/list.ts';
import { relationsNeeded } from '../../session/record-body.ts';
import { keyOfRecord } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';
import { decide } from './decide.ts';
import { compareRowKeys, noteSimilarKeys } from './note-similar-keys.ts';

/** What matching reads and writes. */
export interface Matching {
  ledger: Ledger;
  resource: Resource;
  session: Session;
  options: ImportOptions;
  key: Key;
  /** The names of the fields that the rows contain, as answers call them. */
  shown: ReadonlySet<string>;
}

/** Sets the match keys of rows that have none yet because they contain names, and refuses rows with the same match key. */
export function addMatchKeys({ ledger, resource, options, key }: MatchInput & { ledger: Ledger }): void {
  if (usesReferences(key)) {
    for (const rows of ledger.batches('read', 'bad')) {
      ledger.write(() => {
        for (const row of rows) {
          const change = matchStateOf(row.intent as Intent, { resource, options, key });
          const isBad = row.state === 'bad' && change.state !== undefined;
          if (!isBad) ledger.change(row.seq, change);
        }
      });
    }
  }
  const isMatched = (row: LedgerRow) => (row.intent as Intent).command !== 'create';
  if (key.length === 0 && !ledger.hasMarks() && has(ledger, isMatched)) {
    throw usage(
      `The rows can't be matched with existing ${resource.nouns}: they have no ids, and no other field is unique.`,
      {
        hint: `Choose the fields that identify ${resource.nouns} (--key ${resource.key[0] ?? 'name'}), or create all rows: --mode create.`,
      },
    );
  }
  refuseRepeated(ledger);
}

function refuseRepeated(ledger: Ledger): void {
  for (const { match, rows } of ledger.repeated()) {
    const what = `has the same key as other rows (${textOfMatchKey(match.slice(1))}): ${linesOf(rows)}`;
    ledger.write(() => {
      for (const { seq } of rows) ledger.change(seq, { state: 'bad', error: rowError([{ what }]) });
    });
  }
}

/** Decides every remaining row, with its record if there is one. */
export async function matchRows(matching: Matching): Promise<void> {
  const { ledger, options, key } = matching;
  const near = compareRowKeys(ledger, key);
  await meetAll(matching, near, false);
  // The records to delete may have been deleted already, by this very file.
  const looksForDeleted = ({ match, intent }: LedgerRow) =>
    match !== null &&
    (match.startsWith('i') || options.onDeleted !== undefined || (intent as Intent).command === 'delete');
  if (has(ledger, looksForDeleted) && matching.resource.restore)
    await meetAll(matching, near, true, looksForDeleted);
  await refuseLostZeros(matching);
  for (const rows of ledger.batches('read')) {
    ledger.write(() => {
      for (const row of rows) {
        ledger.change(row.seq, { ...decide(row.intent as Intent, undefined, matching), intent: null });
      }
    });
  }
  refuseShared(matching);
  noteSimilarKeys(ledger, near);
}

/** Refuses rows that match no record, where a code with other leading zeros does: a spreadsheet has made a number of it. */
async function refuseLostZeros(matching: Matching): Promise<void> {
  const { ledger, resource, session, key } = matching;
  const [column, ...others] = key;
  const filter = resource.filters.find(({ name, on }) => name === column?.shown && on === name);
  if (!filter || others.length > 0) return;
  const isOpen = ({ match, intent }: LedgerRow) =>
    match?.startsWith('k') === true && (intent as Intent).command !== 'create';
  const values = valuesOf(matching, 'k', 0, isOpen);
  const records = await recordsWithOtherZeros(session, resource, filter, values);
  if (records.length === 0) return;
  for (const rows of ledger.batches('read')) {
    ledger.write(() => {
      for (const row of rows.filter(isOpen)) {
        const [value = ''] = partsOfMatchKey(row.match?.slice(1) ?? '[]');
        const meant = records
          .map((record) => String(record[filter.name]))
          .find((code) => differInZeros(code, value));
        if (meant === undefined) continue;
        const isNew = (row.intent as Intent).command === 'upsert';
        const create = isNew ? ` To create "${value}": --mode create` : '';
        const what = `matches no ${resource.noun}. Did you mean "${meant}"?${create}`;
        ledger.change(row.seq, { state: 'bad', action: 'skip', error: rowError([{ what }]) });
      }
    });
  }
}

/** Refuses rows that are matched with the same record, one by id and one by key: it isn't known which of them counts. */
function refuseShared({ ledger, resource }: Matching): void {
  if (!ledger.hasMarksFrom('i') || !ledger.hasMarksFrom('k')) return;
  for (const { id, rows } of ledger.shared()) {
    const what = `matches the same ${resource.noun} as other rows (${id}): ${linesOf(rows)}`;
    ledger.write(() => {
      for (const { seq } of rows)
        ledger.change(seq, { state: 'bad', action: 'skip', steps: [], error: rowError([{ what }]) });
    });
  }
}

function has(ledger: Ledger, isOf: (row: LedgerRow) => boolean): boolean {
  for (const row of ledger.rows('read')) if (isOf(row)) return true;
  return false;
}

async function meetAll(
  matching: Matching,
  near: ReturnType<typeof compareRowKeys>,
  deletedOnly: boolean,
  isOf: (row: LedgerRow) => boolean = () => true,
): Promise<void> {
  const { resource, session, key, ledger } = matching;
  const include = includeFor(matching);
  // A row that matches an existing record doesn't match a deleted one with the same key.
  const undecided = deletedOnly ? new Set([...ledger.rows('read')].map(({ seq }) => seq)) : undefined;
  const byId = [{ by: idKey, values: valuesOf(matching, 'i', 0, isOf) }];
  for await (const records of findRecords(session, { resource, asks: byId, include, deletedOnly })) {
    meet(matching, undecided, records, (record) =>
      typeof record.id === 'string' ? `i${matchKeyOfId(record.id)}` : undefined,
    );
  }
  const shown = key.map((column) => column.shown);
  const by = filterForKey(resource, shown) ?? '';
  const values = key.length === 0 ? [] : valuesOf(matching, 'k', Math.max(0, shown.indexOf(by)), isOf);
  for await (const records of findRecords(session, {
    resource,
    asks: [{ by, values }],
    include,
    deletedOnly,
  })) {
    for (const record of records) near.addRecord(record);
    meet(matching, undecided, records, (record) => {
      const matchKey = keyOfRecord(record, key);
      return matchKey === undefined ? undefined : `k${matchKey}`;
    });
  }
}

/** Returns the distinct values at one position of the match keys. */
function valuesOf(
  { ledger, key }: Matching,
  kind: 'i' | 'k',
  place: number,
  isOf: (row: LedgerRow) => boolean,
): string[] {
  const values = new Set<string>();
  for (const row of ledger.rows('read')) {
    if (!row.match?.startsWith(kind) || !isOf(row)) continue;
    const value = partsOfMatchKey(row.match.slice(1))[place];
    if (value !== undefined) values.add(value);
    const column = kind === 'k' ? key[place] : undefined;
    if (column) for (const text of writtenIn(row.intent as Intent, column)) values.add(text);
  }
  return [...values];
}

/** The states of rows that a record may still decide, or show to match several. */
const decidable = ['read', 'planned', 'done', 'bad'] as const;

function meet(
  matching: Matching,
  among: ReadonlySet<number> | undefined,
  records: readonly Row[],
  matchKeyOf: (record: Row) => string | undefined,
): void {
  const { ledger } = matching;
  ledger.write(() => {
    const rows = matchingRows(ledger, records, (record) => [matchKeyOf(record) ?? []].flat(), ...decidable);
    for (const { row, records: own } of rows)
      if (!among || among.has(row.seq)) for (const record of own) meetOne(matching, row, record);
  });
}

function meetOne(matching: Matching, row: LedgerRow, record: Row): void {
  const { ledger, resource } = matching;
  if (row.state === 'read') {
    const known = row.match?.startsWith('k') ? matching.key : [];
    const change = decide(asKnown(row.intent as Intent, record, known), record, matching);
    Object.assign(row, change);
    ledger.change(row.seq, { ...change, intent: null });
    return;
  }
  const isOther = row.id !== null && row.id !== record.id;
  // A deleted record leaves nothing to do for a row that deletes, whichever of several it is.
  const isGone = row.action === 'skip' && row.state === 'done' && isDeleted(record);
  if (!isOther || isGone) return;
  const what = `matches several ${resource.nouns}: ${row.id}, ${record.id}`;
  ledger.change(row.seq, { state: 'bad', action: 'skip', steps: [], error: rowError([{ what }]) });
}

/**
 * Returns the intent without values that the record already has in a different spelling: the file doesn't ask for
 * another spelling.
 */
function asKnown(intent: Intent, record: Row, key: Key): Intent {
  const ofKey = new Map(key.map((column) => [requestName(column), column.shown]));
  const body = Object.entries(intent.body).filter(([name, value]) => {
    const shown = record[ofKey.get(name) ?? name];
    if (typeof value !== 'string') return true;
    if (ofKey.has(name)) return typeof shown !== 'string';
    const text = intent.written?.[name];
    return text === undefined || !isWrittenAs(shown, text);
  });
  return { ...intent, body: Object.fromEntries(body) };
}

/** Returns the relations that the rows contain, which answers show only on request. */
function includeFor({ resource, shown, key }: Matching): string[] {
  const writes = ['create', 'update'].flatMap((verb) => operation(resource, verb) ?? []);
  const keys = new Set(key.map((column) => column.shown));
  const body = writes.flatMap((write) =>
    write.body.filter((entry) => shown.has(entry.shown) || keys.has(entry.shown)),
  );
  return [...new Set(relationsNeeded({ body }))];
}

interface MatchInput {
  resource: Resource;
  options: ImportOptions;
  key: Key;
}

/** Returns the match key of a row and its text for messages, or the reason why the row needs one. */
export function matchStateOf(intent: Intent, { resource, options, key }: MatchInput): RowChange {
  const matchKey = matchKeyFor(intent, key, options);
  if (matchKey !== undefined) return { match: matchKey, key: textOfMatchKey(matchKey.slice(1)) };
  const { command } = intent;
  const mayBeNew = command === 'create' || (command === 'upsert' && options.key === undefined);
  if (mayBeNew) return {};
  const names = key.length === 0 ? 'id' : key.map(({ name }) => name).join(', ');
  const what = `has no value for ${names}, the key of its ${resource.noun}`;
  return { state: 'bad', error: rowError([{ what }]) };
}

/** Returns the match key of a row: its id, if rows have ids of this account, or else the values of its key. */
function matchKeyFor(
  intent: Intent,
  key: Key,
  { key: keyNames, isReadOnlyIgnored }: ImportOptions,
): string | undefined {
  const isById = keyNames === undefined && !isReadOnlyIgnored && intent.command !== 'create';
  if (isById && intent.id !== undefined) return `i${matchKeyOfId(intent.id)}`;
  const matchKey = matchKeyOfRow(intent, key);
  return matchKey === undefined ? undefined : `k${matchKey}`;
}
