/** A table as a manifest: each row a record, its columns those of an import. */

import { Readable } from 'node:stream';
import type { Column } from '../../bulk/columns/columns.ts';
import { knownNames } from '../../bulk/columns/columns.ts';
import { cutShort } from '../../bulk/columns/meant-text.ts';
import { type CellReading, readCell, textIn } from '../../bulk/columns/table-cell.ts';
import { headerFor } from '../../bulk/plan/header.ts';
import { understandingOf } from '../../bulk/plan/understanding.ts';
import { openTable } from '../../bulk/tables/open-table.ts';
import { openSource } from '../../bulk/tables/source.ts';
import { emptiedCell, isTyped, type TableRow } from '../../bulk/tables/table.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Mistakes } from '../source/mistakes.ts';
import type { Place } from '../source/node.ts';
import type { Given } from './declared.ts';
import { type ManifestField, manifestFields } from './fields.ts';
import { defaultKey } from './key.ts';
import { isPlainlyGiven } from './plainly-given.ts';
import type { RecordReading } from './read-records.ts';
import { Ref } from './ref.ts';

export interface TableReading extends RecordReading {
  /** The text of a cell before a spreadsheet was kept from running it. */
  plainCell(text: string): string;
}

/** The column of a place is the number of the cell. */
export async function readTable(file: string, resource: Resource, reading: TableReading): Promise<void> {
  const { mistakes, onResource } = reading;
  onResource(resource);
  const source = await openSource(file, Readable.from([]));
  const table = await openTable(source, { known: knownNames(resource), usualSheet: resource.command });
  const options = { map: new Map<string, string>(), isReadOnlyIgnored: true, mode: 'upsert' as const };
  const { columnFor, problems } = headerFor(resource, options, table.columns);
  const how = await understandingOf({ table, columnFor, called: source.called, hasFlags: false });
  const cells = { form: table.form, how, nullText: emptiedCell, plainCell: reading.plainCell };
  let told = 0;
  for await (const row of table.rows()) {
    const names = table.columns ?? [...row.cells.keys()];
    const at = (name?: string): Place => ({
      file,
      line: row.line,
      column: Math.max(0, names.indexOf(name ?? '')) + 1,
    });
    readRow(row, { resource, columnFor, cells, at, reading });
    for (const { name, what } of problems.slice(told)) {
      const line = table.columns ? 1 : row.line;
      mistakes.add({ ...at(name), line }, `${name} ${what.replace(/\.$/, '')}`);
    }
    told = problems.length;
  }
}

interface RowReading {
  resource: Resource;
  columnFor(name: string): Column | undefined;
  cells: CellReading;
  at(name?: string): Place;
  reading: RecordReading;
}

function readRow(row: TableRow, { resource, columnFor, cells, at, reading }: RowReading): void {
  const { mistakes, onRecord, onUnsure } = reading;
  const before = mistakes.count;
  for (const { column, what } of row.problems) mistakes.add(at(column), what);
  const fields = manifestFields(resource);
  const given = new Map<string, Given>();
  for (const [name, cell] of row.cells) {
    const column = columnFor(name);
    const field = column?.role === 'value' ? fields.get(column.shown) : undefined;
    const text = textIn(cell, cells);
    const isEmpty = isTyped(cells.form) && typeof cell === 'string' && text.trim() === '';
    // What is to be done with a row is for an import to hear: here each row is what is to be there.
    if (column?.role === 'command' && !isEmpty && cell !== null)
      mistakes.add(at(name), `${name} is for boh ${resource.command} import: here every row is to be there`);
    if (!column || !field || isEmpty) continue;
    if (field.field.traits.secret) {
      mistakes.add(at(name), `${name} is a secret and must not stand in a file`);
      continue;
    }
    const read = readCell(resource, column, cell, cells);
    const isText = isTyped(cells.form) && field.field.kind === 'text' && typeof read.value === 'string';
    const problem = read.problem ?? (isText ? cutShort(read.value as string) : undefined);
    if (problem !== undefined) mistakes.add(at(name), `${name} ${problem}`);
    else
      given.set(field.name, {
        field,
        value: withRefs(read.value, field, at(name)),
        at: at(name),
      });
  }
  if (mistakes.count > before) return;
  const key = keyOf(resource, given, mistakes, at());
  if (!key) return;
  const record = { resource, at: at(), key: [key], oldKey: undefined, isExact: false, given };
  if (!isPlainlyGiven(record)) onUnsure({ record, node: undefined });
  onRecord(record);
}

function keyOf(resource: Resource, given: ReadonlyMap<string, Given>, mistakes: Mistakes, at: Place) {
  const key = defaultKey(resource, given);
  if (!key)
    mistakes.add(
      at,
      `says nothing of ${resource.key.join(' or ') || 'a name'}, by which a ${resource.noun} is known`,
    );
  return key;
}

/** Names stand in cells as `@NAME`; what has none is an id. */
function withRefs(value: unknown, { field }: ManifestField, at: Place): unknown {
  const { target = '', only } = field.traits;
  const ref = (text: string) => {
    const name = text.startsWith('@') ? text.slice(1) : undefined;
    return new Ref(
      target,
      name === undefined ? { kind: 'id', id: text } : { kind: 'text', text: name },
      at,
      only,
    );
  };
  if (field.kind === 'one' && typeof value === 'string') return ref(value);
  if (field.kind !== 'many' || !Array.isArray(value)) return value;
  return value.map((link: { id: string }) => ({ ...link, id: ref(link.id) }));
}
