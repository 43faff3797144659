/** Matches rows with records by other spellings of their keys, and refuses rows whose spelling isn't certain. */
import type { Resource } from '../../contract/resource.ts';
import type { Intent } from '../../runs/intent.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import type { LedgerRow } from '../../runs/ledger/row.ts';
import { type Key, parseMatchKey } from '../../runs/match-key.ts';
import { formatLines, rowError } from '../../runs/row-error.ts';
import { isDeleted } from '../../session/list.ts';
import { formatCandidates, isCodeKey, KeyIndex, keyTexts, relateRecords } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';

/** The ledger, the session and the options for matching. */
export interface MatchContext {
  ledger: Ledger;
  resource: Resource;
  session: Session;
  options: ImportOptions;
  key: Key;
  /** The names of the fields that the rows contain, as in responses. */
  responseNames: ReadonlySet<string>;
}

interface KeyedRow {
  seq: number;
  line: number | null;
  /** The records whose key is another spelling of the row's key, or similar to it, by ID. */
  records?: Map<unknown, Row>;
}

/** The keys of all rows, and the records with related keys. */
export class RowSpellings {
  readonly #context: MatchContext;
  readonly #index = new KeyIndex<KeyedRow>();

  constructor(context: MatchContext) {
    const { ledger, key } = context;
    this.#context = context;
    for (const { matchKey, ...row } of ledger.matchKeysWithPrefix('k'))
      this.#index.add({ key, values: parseMatchKey(matchKey.slice(1)) }, row);
  }

  /** Adds a record to the rows with a related key. */
  addRecord(record: Row): void {
    for (const { item, relation } of this.#index.relatedItems(record))
      if (relation !== 'same') item.records = new Map(item.records).set(record.id, record);
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
      const records = this.#records(row, 'folded').filter((record) => isDeleted(record) === deletedOnly);
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
    const { ledger, resource, session, key } = this.#context;
    const newSeqs = new Set<number>();
    for (const row of this.#undecided()) if (isNew(row)) newSeqs.add(row.seq);
    for (const row of this.#undecided()) {
      const related = isNew(row) ? this.#index.relatedItems(this.#keysOf(row)) : [];
      const others = related.filter(({ item: { seq } }) => seq !== row.seq && newSeqs.has(seq));
      const duplicates = others.flatMap(({ item, relation }) =>
        relation === 'folded' && this.#isDuplicate(row, item) ? item : [],
      );
      const record = this.#records(row, 'similar').find((candidate) => !isDeleted(candidate));
      if (duplicates.length > 0) {
        const lines = formatLines([row, ...duplicates].sort((a, b) => a.seq - b.seq));
        this.#refuse(row, `is one of several rows with the same key (${row.key}): ${lines}`);
      } else if (record && isCodeKey(key) && (row.intent as Intent).command !== 'create') {
        const createHint = isNew(row) ? ` To create "${row.key}": --mode create` : '';
        this.#refuse(
          row,
          `matches no ${resource.noun}. Did you mean "${keyTexts(record, key)}"?${createHint}`,
        );
      } else {
        const earlier = others.find(
          ({ item, relation }) => relation === 'similar' && item.seq < row.seq,
        )?.item;
        const stored = record
          ? `${record.id} (${keyTexts(record, key)})`
          : earlier && `line ${earlier.line} (${ledger.row(earlier.seq)?.key})`;
        if (stored !== undefined && isNew(row))
          session.spellings.add({ ...this.#describe(row), stored, isSimilar: true });
      }
    }
  }

  *#undecided(): Generator<LedgerRow> {
    for (const row of this.#context.ledger.rows('read')) if (row.match?.startsWith('k')) yield row;
  }

  /** Returns the records that the row was related to. Unlike the match key, the row has the calling code of a number. */
  #records(row: LedgerRow, relation: 'folded' | 'similar'): Row[] {
    const keys = this.#keysOf(row);
    const item = this.#index.relatedItems(keys).find(({ item: { seq } }) => seq === row.seq)?.item;
    return [...(item?.records?.values() ?? [])].filter(
      (record) => relateRecords(this.#context.key, keys, record) === relation,
    );
  }

  #isDuplicate(row: LedgerRow, { seq }: KeyedRow): boolean {
    const other = this.#context.ledger.row(seq);
    return (
      other !== undefined &&
      relateRecords(this.#context.key, this.#keysOf(row), this.#keysOf(other)) === 'folded'
    );
  }

  /** Returns the values of a row's key as in a record, with its other values. */
  #keysOf({ match, intent }: LedgerRow): Row {
    const values = parseMatchKey(match?.slice(1) ?? '[]');
    const keys = this.#context.key.map(({ responseName }, index) => [responseName, values[index]]);
    return { ...(intent as Intent).body, ...Object.fromEntries(keys) };
  }

  #describe({ line, key }: LedgerRow): { subject: string; written: string } {
    return {
      subject: `line ${line}: ${this.#context.key.map(({ name }) => name).join(', ')}`,
      written: key ?? '',
    };
  }

  #refuse({ seq }: LedgerRow, message: string): void {
    const error = rowError([{ what: message }]);
    this.#context.ledger.change(seq, { state: 'bad', action: 'skip', error });
  }
}

function isNew({ intent }: LedgerRow): boolean {
  return ['create', 'upsert'].includes((intent as Intent).command);
}
