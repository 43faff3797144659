/** The tables of an export as the source of a transfer: converts rows to records, and names in cells to their records. */

import { isRow, type Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import type { Field, Fields } from '../../../api/contract/field.ts';
import { type BodyField, operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { Failure, type FieldMessages, usage } from '../../../base/errors.ts';
import { linkColumnFinder } from '../../bulk/links/link-rows.ts';
import { parseLinkRow } from '../../bulk/links/plan-links.ts';
import { detectFormats } from '../../bulk/plan/detect-formats.ts';
import { rowParser } from '../../bulk/plan/parse-row.ts';
import type { Intent } from '../../runs/ledger/row.ts';
import { type Column, deletedColumn, findColumn, normalizeColumnName } from '../../tables/columns/columns.ts';
import { matchHeader } from '../../tables/columns/match-header.ts';
import { defaultOptions } from '../../tables/columns/options.ts';
import type { RowProblem, TableRow } from '../../tables/table.ts';
import { completeListCall } from '../backup/read-account.ts';
import type { Source, SourceRecord } from '../source.ts';
import type { ExportedTable, ExportedTables } from './exported-tables.ts';
import { TableIndex } from './table-index.ts';

/** A link to add to a record. */
interface TableLink {
  /** The field of the record that contains the links. */
  field: string;
  /** The other record: its resource, and the text of the cell. */
  target: string;
  text: string;
  /** The values of the link. */
  pivot: Row;
  problems: readonly RowProblem[];
  line: number;
}

/** Reads tables of an export as records. */
export class TableSource implements Source {
  readonly index = new TableIndex();
  readonly #tables = new Map<Resource, PreparedTable>();
  /** The links in tables of links, by resource and by the text of their first column. */
  readonly #links = new Map<Resource, Map<string, TableLink[]>>();
  /** The IDs of the account's records for names that are in no row, by target. */
  readonly #accountIds = new Map<string, ReadonlyMap<string, string | Failure>>();
  /** The names of records that this import changes, with the line of the row that changes them. */
  readonly renamedRecords: { resource: Resource; name: string; line: number }[] = [];
  readonly #session: Session;
  readonly #exportedTables: ExportedTables;
  readonly #options: TableReadOptions;
  readonly refuseChanged: () => Promise<void>;
  #isSameAccount = true;

  private constructor(session: Session, exportedTables: ExportedTables, options: TableReadOptions) {
    this.#session = session;
    this.#exportedTables = exportedTables;
    this.#options = options;
    this.refuseChanged = exportedTables.refuseChanged;
  }

  /** Reads all rows once. Throws one usage failure for all columns that can't be imported. */
  static async read(
    session: Session,
    exportedTables: ExportedTables,
    options: TableReadOptions,
  ): Promise<TableSource> {
    const source = new TableSource(session, exportedTables, options);
    for (const table of exportedTables.tables)
      if (!table.links) source.#tables.set(table.resource, await prepareTable(table, options));
    refuseHeaderProblems(source.#tables.values());
    for (const table of source.#tables.values()) await source.#indexTable(table);
    refuseHeaderProblems(source.#tables.values());
    for (const table of exportedTables.tables) if (table.links) await source.#readLinks(table, options);
    return source;
  }

  /** The resources of the tables, in the order of the tables. */
  get resources(): Resource[] {
    return [...this.#tables.keys()];
  }

  /** The columns that can't be written, by the name of the table. */
  get ignored(): Map<string, readonly string[]> {
    const ignored = [...this.#tables.values()].filter((table) => table.ignored.size > 0);
    return new Map(ignored.map((table) => [table.name, [...table.ignored]]));
  }

  has(resource: Resource): boolean {
    return this.#tables.has(resource);
  }

  /** Looks up the names that are in no row. In the same account these must be names of its records. */
  async resolveNames(isSameAccount: boolean): Promise<void> {
    this.#isSameAccount = isSameAccount;
    const { api } = this.#session;
    for (const [target, names] of this.index.referencedNames) {
      const resource = api.resource(target);
      const unresolvedNames = [...names].filter(
        (name) => !resource || this.index.find(resource, name) === undefined,
      );
      if (unresolvedNames.length === 0) continue;
      let idsByReference = await this.#findIds(target, unresolvedNames);
      const hasUnknown = [...idsByReference.values()].some((id) => id instanceof Failure);
      // The API can't list branches and similar records. Their names are known from records that contain them.
      if (!resource && hasUnknown && isSameAccount) {
        await this.#readRecordsWith(target);
        idsByReference = await this.#findIds(target, unresolvedNames);
      } else if (resource && isSameAccount) {
        if (hasUnknown) idsByReference = await this.#findRenamed(resource, idsByReference);
        this.#addRenamed(resource, idsByReference);
      }
      this.#accountIds.set(target, idsByReference);
    }
  }

  /** Finds records that were renamed in the account after the export, by the IDs in the export. */
  async #findRenamed(
    resource: Resource,
    idsByReference: ReadonlyMap<string, string | Failure>,
  ): Promise<ReadonlyMap<string, string | Failure>> {
    const table = this.has(resource) ? undefined : await this.#exportedTables.tableOf(resource);
    if (!table) return idsByReference;
    const index = new TableIndex();
    const { rows } = await prepareTable(table, this.#options);
    for await (const { intent, line } of rows())
      if (intent.id !== undefined) index.add(resource, intent, line);
    const unknown = [...idsByReference].filter(([, id]) => id instanceof Failure);
    const ids = new Map(unknown.map(([reference]) => [reference, index.find(resource, reference.slice(1))]));
    const currentIds = await this.#findIds(
      resource.name,
      [...ids.values()].filter((id) => id !== undefined),
    );
    const currentId = (reference: string, id: string | Failure) => {
      const renamedId = currentIds.get(`@${ids.get(reference)}`);
      return typeof renamedId === 'string' ? renamedId : id;
    };
    return new Map([...idsByReference].map(([reference, id]) => [reference, currentId(reference, id)]));
  }

  #addRenamed(resource: Resource, idsByReference: ReadonlyMap<string, string | Failure>): void {
    for (const [reference, id] of idsByReference) {
      const line = typeof id === 'string' ? this.index.lineOf(resource, id) : undefined;
      if (line !== undefined) this.renamedRecords.push({ resource, name: reference.slice(1), line });
    }
  }

  /** Reads the records of the account that refer to a target, so that the session knows the names of the target's records. */
  async #readRecordsWith(target: string): Promise<void> {
    for (const resource of this.index.referencingResources.get(target) ?? []) {
      for await (const _ of this.#session.list(completeListCall(this.#session, resource)).batches());
    }
  }

  /** Returns the account's ID for a name that is in no row; undefined if there is none. */
  accountIdOf(target: string, { id }: Row): string | undefined {
    const idOrFailure = this.#accountIds.get(target)?.get(`@${id}`);
    return typeof idOrFailure === 'string' ? idOrFailure : undefined;
  }

  async *records(resource: Resource, ids?: ReadonlySet<string>): AsyncGenerator<SourceRecord> {
    const table = this.#tables.get(resource);
    if (!table) return;
    const links = new Map(this.#links.get(resource));
    for await (const row of table.rows()) {
      const { intent, line } = row;
      if (!isWritable(resource)) {
        yield { record: { id: String(intent.id) } };
        continue;
      }
      const id = this.index.idOf(resource, intent.id, line);
      const recordLinks = links.get(id) ?? [];
      links.delete(id);
      if (ids === undefined || ids.has(id)) yield this.#record(resource, row, id, recordLinks);
    }
    if (ids !== undefined) return;
    for (const [text, unmatchedLinks] of links)
      for (const { line, problems } of unmatchedLinks)
        yield this.#linkWithoutRecord(table, text, line, problems);
  }

  #record(
    resource: Resource,
    { intent, line, problems: rowProblems, isDeleted }: ReadRecord,
    id: string,
    links: readonly TableLink[],
  ): SourceRecord {
    const problems = [...rowProblems, ...links.flatMap((link) => link.problems)];
    const firstLine = intent.id === undefined ? undefined : this.index.lineOf(resource, intent.id);
    if (firstLine !== undefined && firstLine !== line)
      problems.push({ column: 'id', what: `is the same as in line ${firstLine}` });
    const record: Row = {
      id,
      ...recordFrom(resource, intent.body, (target, text, column) =>
        this.#relatedRecord(target, text, { column, problems }),
      ),
      ...(intent.updatedAt !== undefined && { updated_at: intent.updatedAt }),
      ...(isDeleted && { deleted_at: intent.updatedAt ?? 'deleted' }),
    };
    for (const { field, target, text, pivot } of links) {
      const related = { ...this.#relatedRecord(target, text, { column: field, problems }), pivot };
      record[field] = [...((record[field] as Row[] | undefined) ?? []), related];
    }
    const { written, doubts } = intent;
    return { record, line, problems, isNew: intent.id === undefined, written, doubts };
  }

  #linkWithoutRecord(
    { name }: PreparedTable,
    text: string,
    line: number,
    problems: readonly RowProblem[],
  ): SourceRecord {
    const problem = `is a link of ${text.replace(/^@/, '')}, which ${name} doesn't have`;
    return { record: { id: `link of line ${line}` }, line, problems: [{ what: problem }, ...problems] };
  }

  /** Returns the related record as in responses: with its ID in the export, or with only its name. */
  #relatedRecord(
    target: string,
    text: string,
    { column, problems }: { column: string; problems: RowProblem[] },
  ): Row {
    if (!text.startsWith('@')) return { id: text };
    const name = text.slice(1);
    const resource = this.#session.api.resource(target);
    const idOrFailure = this.#accountIds.get(target)?.get(text);
    // A record of the account with the same name takes precedence over a row with another spelling.
    const spellings = typeof idOrFailure === 'string' ? undefined : this.#session.spellings;
    const id = resource && this.index.find(resource, name, spellings);
    if (id !== undefined) return { id };
    // In another account missing records of all rows are reported together, because flags can map or skip them.
    if (idOrFailure instanceof Failure && this.#isSameAccount) {
      const message = `has a name that can't be resolved: ${idOrFailure.message.replace(/\.$/, '')}`;
      if (!problems.some((problem) => problem.column === column && problem.what === message))
        problems.push({ column, what: message });
    }
    return { id: name, name };
  }

  async #findIds(target: string, names: readonly string[]): Promise<ReadonlyMap<string, string | Failure>> {
    const references = names.map((name) => `@${name}`);
    try {
      return await this.#session.names.find(target, references, { orId: this.#isSameAccount });
    } catch (error) {
      if (!(error instanceof Failure) || error.category !== 'usage') throw error;
      return new Map(references.map((reference) => [reference, error]));
    }
  }

  async #indexTable({ resource, rows }: PreparedTable): Promise<void> {
    const addName = (target: string, text: string): Row => {
      if (text.startsWith('@')) this.index.addName(resource, target, text.slice(1));
      return {};
    };
    for await (const { intent, line } of rows()) {
      if (!isWritable(resource)) continue;
      this.index.add(resource, intent, line);
      recordFrom(resource, intent.body, addName);
    }
  }

  async #readLinks(exported: ExportedTable, options: TableReadOptions): Promise<void> {
    const { resource, table, label, links: columns } = exported;
    const recordTable = this.#tables.get(resource);
    if (!columns) return;
    if (!recordTable)
      throw usage(
        `${label} contains links of ${resource.nouns}, and there is no table of ${resource.nouns}.`,
        { hint: `Add ${resource.command}, or use boh ${resource.command} import-links.` },
      );
    const { nullText } = defaultOptions;
    const linkOptions = { resource, columns, label, table, nullText, ...options };
    const columnFor = linkColumnFinder(linkOptions);
    const formats = await detectFormats({ table, columnFor, label, hasFlags: false });
    const target = columns.linked[0].field?.traits.target ?? '';
    const byOwner = this.#links.get(resource) ?? new Map<string, TableLink[]>();
    this.#links.set(resource, byOwner);
    for await (const row of table.rows()) {
      const { intent, problems: rowProblems } = parseLinkRow(linkOptions, row, columnFor, formats);
      if (intent.linked.startsWith('@')) this.index.addName(resource, target, intent.linked.slice(1));
      const ownerId = intent.owner.startsWith('@')
        ? (this.index.find(resource, intent.owner.slice(1), this.#session.spellings) ?? intent.owner)
        : intent.owner;
      const problems = rowProblems.map(({ column, what }) => ({
        what: `${exported.name} line ${row.line}: ${column ?? ''} ${what}`,
      }));
      if (intent.isRemoved)
        problems.push({
          what: `${exported.name} line ${row.line}: links are removed with boh ${resource.command} import-links`,
        });
      const link = { field: columns.link.field, target, text: intent.linked, pivot: intent.body };
      const links = byOwner.get(ownerId) ?? [];
      byOwner.set(ownerId, [...links, { ...link, problems, line: row.line }]);
    }
  }
}

/** Returns the related record for the text of a cell: an ID, or a name after @. `responseName` is the name of the field in responses. */
type FindRelated = (target: string, idOrName: string, responseName: string) => Row;

/** Returns the fields of a body by their names in responses. */
function recordFrom(resource: Resource, body: Row, findRelated: FindRelated): Row {
  const record: Row = {};
  for (const { name, responseName, field } of writtenFields(resource))
    if (Object.hasOwn(body, name))
      record[responseName] = responseValue(field, body[name], (target, idOrName) =>
        findRelated(target, idOrName, responseName),
      );
  return record;
}

function writtenFields(resource: Resource): BodyField[] {
  const bodyFields = ['create', 'update'].flatMap((verb) => operation(resource, verb)?.body ?? []);
  return [...new Map(bodyFields.map((entry) => [entry.name, entry])).values()];
}

type FindRelatedOfField = (target: string, idOrName: string) => Row;

function responseValue(field: Field, value: unknown, findRelated: FindRelatedOfField): unknown {
  const { target, fields } = field.traits;
  if (field.kind === 'objects' && Array.isArray(value))
    return value.map((part) => (isRow(part) ? responsePart(fields ?? {}, part, findRelated) : part));
  if (target === undefined || field.kind === 'ids') return value;
  if (Array.isArray(value)) return value.map((link) => responseLink(target, link, findRelated));
  return value === null ? null : findRelated(target, idText(value));
}

/** Converts `{id, quantity}` of a request to `{id, pivot: {quantity}}` of a response. */
function responseLink(target: string, link: unknown, findRelated: FindRelatedOfField): Row {
  if (!isRow(link)) return findRelated(target, String(link));
  const { id, pivot, ...linkFields } = link;
  const related = findRelated(target, String(id));
  const values = { ...linkFields, ...(isRow(pivot) ? pivot : {}) };
  return Object.keys(values).length > 0 ? { ...related, pivot: values } : related;
}

function responsePart(fields: Fields, part: Row, findRelated: FindRelatedOfField): Row {
  const result: Row = part.id === undefined ? {} : { id: part.id };
  for (const [name, field] of Object.entries(fields)) {
    const requestName = field.kind === 'one' ? `${name}_id` : name;
    const key = Object.hasOwn(part, name) ? name : requestName;
    if (name !== 'id' && Object.hasOwn(part, key))
      result[name] = responseValue(field, part[key], findRelated);
  }
  return result;
}

function idText(value: unknown): string {
  return String(isRow(value) ? value.id : value);
}

/** A row of a table that was read. */
interface ReadRecord {
  intent: Intent;
  line: number;
  problems: RowProblem[];
  /** Whether the row marks its record as deleted. */
  isDeleted: boolean;
}

/** A table whose rows can be read repeatedly. */
interface PreparedTable extends ExportedTable {
  /** The problems of the columns that were read, by name. In JSON later rows can add columns, and so problems. */
  problems: ReadonlyMap<string, string>;
  /** The columns that can't be written. */
  ignored: ReadonlySet<string>;
  rows(): AsyncGenerator<ReadRecord>;
}

/** Returns whether the API can write records of a resource. */
function isWritable({ create, update }: Resource): boolean {
  return (create ?? update) !== undefined;
}

interface TableReadOptions {
  /** Removes the apostrophe that an export writes before cells that spreadsheets would run as formulas. */
  unguardCell(text: string): string;
  /** Whether values that are probably damaged are read like others. */
  acceptsDamage?: boolean | undefined;
}

/** Prepares a table of records. Throws a usage failure if its formats are ambiguous. */
async function prepareTable(
  exported: ExportedTable,
  { unguardCell, acceptsDamage }: TableReadOptions,
): Promise<PreparedTable> {
  const { resource, table, label } = exported;
  const problems = new Map<string, string>();
  const ignored = new Set<string>();
  const columnFor = columnFinder(resource, problems, ignored);
  for (const name of table.columns ?? []) if (name !== '') columnFor(name);
  const formats = await detectFormats({ table, columnFor, label, hasFlags: false });
  const rowOptions = {
    resource,
    format: table.format,
    columnFor,
    formats,
    options: { ...defaultOptions, acceptsDamage },
    unguardCell,
  };
  const parseRow = isWritable(resource) ? rowParser(rowOptions) : parseId;
  async function* rows() {
    for await (const row of table.rows())
      yield { ...refuseOtherCommands(parseRow(row)), line: row.line, ...parseDeleted(row) };
  }
  return { ...exported, problems, ignored, rows };
}

/** Reads only the ID of a row that can't be written. */
function parseId({ cells }: TableRow): { intent: Intent; problems: RowProblem[] } {
  const id = [...cells].find(([name]) => normalizeColumnName(name) === 'id')?.[1];
  return { intent: { command: 'upsert', id: String(id ?? ''), body: {} }, problems: [] };
}

function refuseOtherCommands({ intent, problems }: { intent: Intent; problems: RowProblem[] }) {
  if (intent.command === 'upsert') return { intent, problems };
  const problem = `can't be ${intent.command} here: records are updated, or created if they don't exist`;
  return { intent, problems: [...problems, { column: '_command', what: problem }] };
}

function parseDeleted({ cells }: TableRow): { isDeleted: boolean } {
  const cell = [...cells].find(([name]) => normalizeColumnName(name) === deletedColumn)?.[1];
  return { isDeleted: /^(true|1|yes)$/i.test(String(cell ?? '').trim()) };
}

/** Collects all problems of columns. Columns that can't be written are ignored, because an export may contain them. */
function columnFinder(
  resource: Resource,
  problems: Map<string, string>,
  ignored: Set<string>,
): (name: string) => Column | undefined {
  const { columnFor, problems: headerProblems } = matchHeader(resource, {
    ...defaultOptions,
    isReadOnlyIgnored: true,
  });
  return (name) => {
    const column = columnFor(name);
    for (const { name: columnName, message } of headerProblems) problems.set(columnName, message);
    if (column?.field?.traits.secret) {
      problems.set(name, `contains secrets; use boh ${resource.command} import`);
      return undefined;
    }
    if (!column && isWritable(resource) && findColumn(resource, name)?.role === 'read_only')
      ignored.add(name);
    return column;
  };
}

/** Throws one usage failure for all columns of the tables that can't be imported. */
function refuseHeaderProblems(tables: Iterable<PreparedTable>): void {
  const fields: FieldMessages = Object.create(null);
  for (const { name, problems } of tables)
    for (const [column, message] of problems) fields[`${name}: ${column}`] = [message];
  const count = Object.keys(fields).length;
  if (count === 0) return;
  throw usage(`${count === 1 ? 'A column' : `${count} columns`} can't be imported; nothing was sent.`, {
    fields,
    hint: 'Rename or remove these columns. To rename them on import: boh RESOURCE import FILE --map COLUMN=FIELD',
  });
}
