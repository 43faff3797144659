/** Matches rows with records by other spellings of their keys, and refuses rows whose spelling isn't certain. */
import type { Resource } from '../../contract/resource.ts';
import type { Intent } from '../../runs/intent.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import type { LedgerRow } from '../../runs/ledger/row.ts';
import { type Key, parseMatchKey } from '../../runs/match-key.ts';
import { formatLines, rowError } from '../../runs/row-error.ts';
import { isDeleted } from '../../session/list.ts';
import { displayNameOf, formatCandidates, isCodeKey, KeyIndex, keyTexts } from '../../session/record-key.ts';
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

/** A row with a key, and the records whose keys are spellings of it or similar, by ID. */
interface KeyedRow {
  seq: number;
  line: number | null;
  label: string | null;
  folded?: Map<unknown, Row>;
  similar?: Map<unknown, Row>;
}

/** The keys of all rows, and the records with related keys. */
export class RowSpellings {
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

  /** Returns the values of a row as in a record, with its key. */
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
