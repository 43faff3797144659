/** One row of a file: its cells read column by column and held against the contract, with all that is wrong with it. */

import type { Resource } from '../../contract/resource.ts';
import type { Row } from '../../session/row.ts';
import { type Column, columnsOf } from '../columns/columns.ts';
import { plainMoment } from '../columns/dates.ts';
import { cutShort, hasBreaks } from '../columns/meant-text.ts';
import type { Understanding } from '../columns/read-cell.ts';
import { isDoubtful, readCell, textIn } from '../columns/table-cell.ts';
import { isTyped, type RowProblem, type TableForm, type TableRow } from '../tables/table.ts';
import { checkBody } from './check.ts';
import type { ColumnFor } from './header.ts';
import { type Intent, secretMark } from './intent.ts';
import { type ImportOptions, modes } from './options.ts';

/** What is the same for all rows of a file. */
export interface CellsReading {
  resource: Resource;
  form: TableForm;
  columnFor: ColumnFor;
  how: Understanding;
  options: ImportOptions;
  /** The text of a cell before a spreadsheet was kept from running it. */
  plainCell(text: string): string;
}

export interface ReadRow {
  intent: Intent;
  problems: RowProblem[];
  /** Names of columns that hold secrets. */
  secrets: string[];
  /** Whether other records are named in it. */
  hasRelations: boolean;
}

/** A column as rows need it: found out once for all of them. */
interface Place {
  /** With the name that the file has for it. */
  column: Column;
  requestName: string;
  isSecret: boolean;
  isRelation: boolean;
  isText: boolean;
}

export function rowReader(reading: CellsReading): (row: TableRow) => ReadRow {
  const { resource, form, columnFor, how, options, plainCell } = reading;
  const { nullText, isReadOnlyIgnored: isOfOtherAccount } = options;
  const cellReading = { form, how, nullText, plainCell, isOfOtherAccount };
  const isOfPeople = isTyped(form);
  const secretNames = namesOfSecrets(resource);
  const places = new Map<string, Place | undefined>();
  const placeOf = (name: string) => {
    if (!places.has(name)) places.set(name, placeFor(name, columnFor(name)));
    return places.get(name);
  };

  return (row) => {
    const intent: Intent = { command: options.mode, body: {} };
    const problems: RowProblem[] = [...row.problems];
    const secrets: string[] = [];
    const given: Row = {};
    const columns: Column[] = [];
    const written: Record<string, string> = {};
    const doubts: Record<string, RowProblem> = {};
    let [hasRelations, isWritten, isDoubted] = [false, false, false];
    for (const [name, cell] of row.cells) {
      const place = placeOf(name);
      if (!place) continue;
      const { column, requestName } = place;
      const { role } = column;
      const text = textIn(cell, cellReading);
      // An empty cell leaves its field alone, unless it is the one that empties; in JSON an empty text is a text like any other.
      const isEmpty = typeof cell === 'string' && (isOfPeople ? text.trim() : text) === '';
      if (isEmpty && (role !== 'value' || (isOfPeople && nullText !== ''))) continue;
      // JSON says null of what it says nothing of: a record without an id is a new one.
      if (cell === null && role !== 'value') continue;
      if (role === 'id') intent.id = text.trim() || String(cell);
      else if (role === 'command') takeCommand(intent, text || cell, name, problems);
      else if (role === 'updated_at') {
        intent.updatedAt = typeof cell === 'string' ? plainMoment(text, how.dates) : undefined;
        if (intent.updatedAt === undefined)
          problems.push({
            column: name,
            what: `must be a moment, as the export wrote it (--map ${name}= leaves it out)${shown(column, text)}`,
          });
      } else {
        const read = readCell(resource, column, cell, cellReading);
        if (read.problem !== undefined)
          problems.push({ column: name, what: `${read.problem}${shown(column, text)}` });
        columns.push(column);
        hasRelations ||= place.isRelation;
        given[requestName] = read.value;
        if (place.isSecret) secrets.push(name);
        else if (isDoubtful(column, cell, cellReading)) {
          const what = `is a text that can be read in two ways (--decimal says which): "${text}"`;
          doubts[requestName] = { column: name, what };
          isDoubted = true;
        } else if (isOfPeople && place.isText && typeof read.value === 'string') {
          if (read.value !== text || hasBreaks(text)) {
            written[requestName] = text;
            isWritten = true;
          }
          const what = cutShort(read.value);
          if (what !== undefined) {
            doubts[requestName] = { column: name, what };
            isDoubted = true;
          }
        }
      }
    }
    const body = intent.command === 'delete' ? given : withoutUndefined(given);
    if (intent.command !== 'delete') problems.push(...checkBody(resource, body, columns));
    intent.body = secrets.length === 0 ? body : masked(body, secretNames);
    if (isWritten) intent.written = written;
    if (isDoubted) intent.doubts = doubts;
    return { intent, problems, secrets, hasRelations };
  };
}

function placeFor(name: string, column: Column | undefined): Place | undefined {
  if (!column) return undefined;
  const { field } = column;
  return {
    column: { ...column, name },
    requestName: (column.update ?? column.create)?.name ?? column.name,
    isSecret: field?.traits.secret === true,
    isRelation: field?.traits.target !== undefined || field?.kind === 'objects',
    isText: field?.kind === 'text',
  };
}

/** What stands there helps to find it; a secret is shown to nobody. */
function shown({ field }: Column, text: string): string {
  return field?.traits.secret || text === ''
    ? ''
    : `: "${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
}

function takeCommand(intent: Intent, value: unknown, name: string, problems: RowProblem[]): void {
  const word = String(value).trim().toLowerCase();
  const mode = modes.find((each) => each === word);
  if (mode) intent.command = mode;
  else problems.push({ column: name, what: `must be create, update or delete: "${value}"` });
}

/** What can't be read has no value. */
function withoutUndefined(given: Row): Row {
  const names = Object.keys(given);
  if (names.every((name) => given[name] !== undefined)) return given;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** By which requests give them. */
function namesOfSecrets(resource: Resource): ReadonlySet<string> {
  const secrets = columnsOf(resource).filter(({ field }) => field?.traits.secret);
  return new Set(
    secrets.flatMap(({ create, update }) => [create, update].flatMap((entry) => entry?.name ?? [])),
  );
}

function masked(body: Row, secrets: ReadonlySet<string>): Row {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, secrets.has(name) ? secretMark : value]),
  );
}
