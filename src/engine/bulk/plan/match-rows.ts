/** Matches rows with records by id or key, refuses rows that match several records, and decides the action of each row. */

import { filterForKey } from '../../../account/session/find-queries.ts';
import { findRecords } from '../../../account/session/find-records.ts';
import { isDeleted } from '../../../account/session/list.ts';
import { relationsToInclude } from '../../../account/session/record-body.ts';
import {
  displayNameOf,
  formatCandidates,
  isCodeKey,
  KeyIndex,
  keyOfRecord,
  keyTexts,
} from '../../../account/session/record-key.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { usage } from '../../../base/errors.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { formatLines, type Intent, type LedgerRow, type RowChange, rowError } from '../../runs/ledger/row.ts';
import {
  findMatchingRows,
  formatMatchKey,
  idKey,
  type Key,
  keySearchValues,
  matchKeyOfId,
  matchKeyOfRow,
  parseMatchKey,
  requestNameOf,
  usesReferences,
} from '../../runs/match-key.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';
import { decideRow } from './decide-row.ts';

/** Sets the match keys that depend on names of other records, and refuses rows with the same match key. */
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
  if (key.length === 0 && !ledger.hasMatchKeys() && hasRow(ledger, isMatched)) {
    throw usage(
      `The rows can't be matched with existing ${resource.nouns}: they have no IDs, and no other field is unique.`,
      {
        hint: `Choose the fields that identify ${resource.nouns} (--key ${resource.key[0] ?? 'name'}), or create all rows: --mode create.`,
      },
    );
  }
  refuseRepeated(ledger);
}

function refuseRepeated(ledger: Ledger): void {
  for (const { match, rows } of ledger.repeatedMatchKeys()) {
    const message = `is one of several rows with the same key (${formatMatchKey(match.slice(1))}): ${formatLines(rows)}`;
    ledger.write(() => {
      for (const { seq } of rows) ledger.change(seq, { state: 'bad', error: rowError([{ what: message }]) });
    });
  }
}

/** Decides the action of every remaining row, with its record if one exists. */
export async function matchRows(context: MatchContext): Promise<void> {
  const { ledger, options } = context;
  const spellings = new RowSpellings(context);
  await matchWithRecords(context, spellings, false);
  // The records to delete may already be deleted, for example by an earlier import of this file.
  const canMatchDeleted = ({ match, intent }: LedgerRow) =>
    match !== null &&
    (match.startsWith('i') || options.onDeleted !== undefined || (intent as Intent).command === 'delete');
  if (hasRow(ledger, canMatchDeleted) && context.resource.restore)
    await matchWithRecords(context, spellings, true, canMatchDeleted);
  ledger.write(() => spellings.refuseUncertain());
  context.session.spellings.end();
  for (const rows of ledger.batches('read')) {
    ledger.write(() => {
      for (const row of rows) {
        ledger.change(row.seq, { ...decideRow(row.intent as Intent, undefined, context), intent: null });
      }
    });
  }
  refuseSharedRecords(context);
}

/** Refuses rows that match the same record, by ID, key or another spelling of it: it is unclear which row applies. */
function refuseSharedRecords({ ledger, resource }: MatchContext): void {
  if (!ledger.hasMatchKeysWithPrefix('k')) return;
  for (const { id, rows } of ledger.sharedIds()) {
    const message = `is one of several rows that match the same ${resource.noun} (${id}): ${formatLines(rows)}`;
    ledger.write(() => {
      for (const { seq } of rows)
        ledger.change(seq, { state: 'bad', action: 'skip', steps: [], error: rowError([{ what: message }]) });
    });
  }
}

function hasRow(ledger: Ledger, isIncluded: (row: LedgerRow) => boolean): boolean {
  for (const row of ledger.rows('read')) if (isIncluded(row)) return true;
  return false;
}

async function matchWithRecords(
  context: MatchContext,
  spellings: RowSpellings,
  deletedOnly: boolean,
  isIncluded: (row: LedgerRow) => boolean = () => true,
): Promise<void> {
  const { resource, session, key, ledger } = context;
  const include = includeFor(context);
  // A row that matches an existing record doesn't match a deleted one with the same key.
  const undecidedSeqs = deletedOnly ? new Set([...ledger.rows('read')].map(({ seq }) => seq)) : undefined;
  const idSearches = [{ by: idKey, values: keyValues(context, 'i', 0, isIncluded) }];
  for await (const records of findRecords(session, {
    resource,
    searches: idSearches,
    include,
    deletedOnly,
  })) {
    matchRecords(context, undecidedSeqs, records, (record) =>
      typeof record.id === 'string' ? `i${matchKeyOfId(record.id)}` : undefined,
    );
  }
  const responseNames = key.map((column) => column.responseName);
  const by = filterForKey(resource, responseNames) ?? '';
  const values =
    key.length === 0 ? [] : keyValues(context, 'k', Math.max(0, responseNames.indexOf(by)), isIncluded);
  for await (const records of findRecords(session, {
    resource,
    searches: [{ by, values, spellings: deletedOnly ? undefined : 'all' }],
    include,
    deletedOnly,
  })) {
    for (const record of records) spellings.addRecord(record);
    matchRecords(context, undecidedSeqs, records, (record) => {
      const matchKey = keyOfRecord(record, key);
      return matchKey === undefined ? undefined : `k${matchKey}`;
    });
  }
  ledger.write(() => {
    for (const { row, record } of spellings.matches(deletedOnly, isIncluded))
      matchRecord(context, row, record);
  });
}

function keyValues(
  { ledger, key }: MatchContext,
  kind: 'i' | 'k',
  position: number,
  isIncluded: (row: LedgerRow) => boolean,
): string[] {
  const values = new Set<string>();
  for (const row of ledger.rows('read')) {
    if (!row.match?.startsWith(kind) || !isIncluded(row)) continue;
    const value = parseMatchKey(row.match.slice(1))[position];
    if (value !== undefined) values.add(value);
    const column = kind === 'k' ? key[position] : undefined;
    if (column) for (const text of keySearchValues(row.intent as Intent, column)) values.add(text);
  }
  return [...values];
}

/** The states of rows that a record can still change, for example because it is a second match. */
const matchableStates = ['read', 'planned', 'done', 'bad'] as const;

function matchRecords(
  context: MatchContext,
  undecidedSeqs: ReadonlySet<number> | undefined,
  records: readonly Row[],
  matchKeyOf: (record: Row) => string | undefined,
): void {
  const { ledger } = context;
  ledger.write(() => {
    const rows = findMatchingRows(
      ledger,
      records,
      (record) => [matchKeyOf(record) ?? []].flat(),
      ...matchableStates,
    );
    for (const { row, records: matches } of rows)
      if (!undecidedSeqs || undecidedSeqs.has(row.seq))
        for (const record of matches) matchRecord(context, row, record);
  });
}

function matchRecord(context: MatchContext, row: LedgerRow, record: Row): void {
  const { ledger, resource } = context;
  if (row.state === 'read') {
    const key = row.match?.startsWith('k') ? context.key : [];
    const change = decideRow(withoutSameKey(row.intent as Intent, record, key), record, context);
    Object.assign(row, change);
    ledger.change(row.seq, { ...change, intent: null });
    return;
  }
  const isOtherRecord = row.id !== null && row.id !== record.id;
  // A row that deletes is done if its record is deleted, even if it matches several deleted records.
  const isAlreadyDeleted = row.action === 'skip' && row.state === 'done' && isDeleted(record);
  if (!isOtherRecord || isAlreadyDeleted) return;
  const message = `matches several ${resource.nouns}: ${row.id}, ${record.id}`;
  ledger.change(row.seq, { state: 'bad', action: 'skip', steps: [], error: rowError([{ what: message }]) });
}

/** Returns the intent without the text of the key that matched the record, which would only change its spelling. */
function withoutSameKey(intent: Intent, record: Row, key: Key): Intent {
  const keyFields = new Map(key.map((column) => [requestNameOf(column), column.responseName]));
  const body = Object.entries(intent.body).filter(([name, value]) => {
    const field = keyFields.get(name);
    return field === undefined || typeof value !== 'string' || typeof record[field] !== 'string';
  });
  return { ...intent, body: Object.fromEntries(body) };
}

/** Returns the relations that the rows contain, which responses contain only on request. */
function includeFor({ resource, responseNames, key }: MatchContext): string[] {
  const writes = ['create', 'update'].flatMap((verb) => operation(resource, verb) ?? []);
  const keys = new Set(key.map((column) => column.responseName));
  const body = writes.flatMap((write) =>
    write.body.filter((entry) => responseNames.has(entry.responseName) || keys.has(entry.responseName)),
  );
  return [...new Set(relationsToInclude({ body }))];
}

/** The options for the match key of a row. */
interface MatchInput {
  resource: Resource;
  options: ImportOptions;
  key: Key;
}

/** Returns the match key of a row and its label for messages, or an error if the row must have one and doesn't. */
export function matchStateOf(intent: Intent, { resource, options, key }: MatchInput): RowChange {
  const matchKey = matchKeyFor(intent, key, options);
  if (matchKey !== undefined) return { match: matchKey, key: formatMatchKey(matchKey.slice(1)) };
  const { command } = intent;
  const mayBeNew = command === 'create' || (command === 'upsert' && options.key === undefined);
  if (mayBeNew) return {};
  const names = key.length === 0 ? 'id' : key.map(({ name }) => name).join(', ');
  const message = `has no value for ${names}, the key of its ${resource.noun}`;
  return { state: 'bad', error: rowError([{ what: message }]) };
}

/** Returns the match key of a row: its id if the run matches by id and the row has one, otherwise the values of its key. */
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

/** The ledger, the session and the options for matching. */
interface MatchContext {
  ledger: Ledger;
  resource: Resource;
  session: Session;
  options: ImportOptions;
  key: Key;
  /** The names of the fields that the rows contain, as in responses. */
  responseNames: ReadonlySet<string>;
}

/** A row with a key, and the records whose keys are spellings of it or similar, by ID. */
interface KeyedRow {
  seq: number;
  line: number | null;
  label: string | null;
  folded?: Map<unknown, Row>;
  similar?: Map<unknown, Row>;
}

/** The keys of all rows, and the records with related keys. */
class RowSpellings {
  readonly #context: MatchContext;
  readonly #index = new KeyIndex<KeyedRow>();
  readonly #rows = new Map<number, KeyedRow>();

  constructor(context: MatchContext) {
    this.#context = context;
    for (const row of this.#undecided()) {
      const keyedRow = { seq: row.seq, line: row.line, label: row.key };
      this.#rows.set(row.seq, keyedRow);
      this.#index.add(context.key, this.#recordOf(row), keyedRow);
    }
  }

  /** Adds a record to the rows with a related key. */
  addRecord(record: Row): void {
    const { folded, similar } = this.#index.related(record);
    for (const row of folded) row.folded = new Map(row.folded).set(record.id, record);
    for (const row of similar) row.similar = new Map(row.similar).set(record.id, record);
  }

  /**
   * Yields the undecided rows with the only record whose key is another spelling, and reports them. Refuses rows with several
   * such records.
   */
  *matches(
    deletedOnly: boolean,
    isIncluded: (row: LedgerRow) => boolean,
  ): Generator<{ row: LedgerRow; record: Row }> {
    const { resource, session, key } = this.#context;
    for (const row of this.#undecided()) {
      const folded = [...(this.#rows.get(row.seq)?.folded?.values() ?? [])];
      const records = folded.filter((record) => isDeleted(record) === deletedOnly);
      const [record, ...others] = isIncluded(row) ? records : [];
      if (others.length > 0)
        this.#refuse(row, `matches several ${resource.nouns}: ${formatCandidates(resource, records)}`);
      else if (record) {
        session.spellings.add({ ...this.#describe(row), stored: keyTexts(record, key) });
        yield { row, record };
      }
    }
  }

  /** Refuses new rows whose keys are spellings of each other, and rows similar to the code of a record. Reports other similar keys. */
  refuseUncertain(): void {
    const { resource, session, key } = this.#context;
    const newSeqs = new Set(
      this.#undecided()
        .filter(isNew)
        .map(({ seq }) => seq),
    );
    for (const row of this.#undecided()) {
      const { folded, similar } = this.#index.related(this.#recordOf(row));
      const isOther = ({ seq }: KeyedRow) => newSeqs.has(row.seq) && newSeqs.has(seq) && seq !== row.seq;
      const duplicates = folded.filter(isOther);
      const records = [...(this.#rows.get(row.seq)?.similar?.values() ?? [])];
      const record = records.find((candidate) => !isDeleted(candidate));
      if (duplicates.length > 0) {
        const lines = formatLines([row, ...duplicates].sort((a, b) => a.seq - b.seq));
        this.#refuse(row, `is one of several rows with the same key (${row.key}): ${lines}`);
      } else if (record && isCodeKey(key) && (row.intent as Intent).command !== 'create') {
        const createHint = isNew(row) ? ` To create "${row.key}": --mode create` : '';
        const suggestion = `Did you mean "${keyTexts(record, key)}"?${createHint}`;
        this.#refuse(row, `matches no ${resource.noun}. ${suggestion}`);
      } else if (isNew(row)) {
        const earlier = similar.find((other) => isOther(other) && other.seq < row.seq);
        const stored = record
          ? displayNameOf(resource, record)
          : earlier && `line ${earlier.line} (${earlier.label})`;
        if (stored !== undefined) session.spellings.add({ ...this.#describe(row), stored, isSimilar: true });
      }
    }
  }

  *#undecided(): Generator<LedgerRow> {
    for (const row of this.#context.ledger.rows('read')) if (row.match?.startsWith('k')) yield row;
  }

  #recordOf({ match, intent }: LedgerRow): Row {
    const values = parseMatchKey(match?.slice(1) ?? '[]');
    const keys = this.#context.key.map(({ responseName }, index) => [responseName, values[index]]);
    return { ...(intent as Intent).body, ...Object.fromEntries(keys) };
  }

  #describe({ line, key }: LedgerRow): { subject: string; written: string } {
    const names = this.#context.key.map(({ name }) => name).join(', ');
    return { subject: `line ${line}: ${names}`, written: key ?? '' };
  }

  #refuse({ seq }: LedgerRow, message: string): void {
    const error = rowError([{ what: message }]);
    this.#context.ledger.change(seq, { state: 'bad', action: 'skip', error });
  }
}

function isNew({ intent }: LedgerRow): boolean {
  return ['create', 'upsert'].includes((intent as Intent).command);
}
