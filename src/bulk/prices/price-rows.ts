/** The format of price lists, derived from the link that has the prices, and the rows of a list. */
import { usage } from '../../base/errors.ts';
import { apiOf } from '../../contract/api.ts';
import { Field, type Fields } from '../../contract/field.ts';
import type { PriceLists } from '../../contract/price-lists.ts';
import { resource as createResource, type Resource } from '../../contract/resource.ts';
import { rowError } from '../../runs/row-error.ts';
import type { Row } from '../../session/row.ts';
import { headerFailure, matchHeader, unknownMapNameProblems } from '../../tables/columns/match-header.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';
import type { OpenTable } from '../../tables/open-table.ts';
import { type LinkColumns, linkColumnsOf } from '../links/link-rows.ts';
import { detectFormats } from '../plan/detect-formats.ts';
import { rowParser } from '../plan/parse-row.ts';

/** The resources and fields of the price lists that a resource's records send. */
export interface PriceListFormat {
  /** The resource of the sender. */
  resource: Resource;
  /** The resource of the items. */
  target: Resource;
  /** A resource whose fields are the columns of the list. */
  rows: Resource;
  columns: LinkColumns;
  fields: PriceLists;
}

/** Returns the format of the price lists of a resource. Throws if it has none. */
export function priceListFormat(resource: Resource): PriceListFormat {
  const { priceLists: fields } = resource;
  if (!fields) throw new Error(`${resource.name} sends no price lists`);
  const columns = linkColumnsOf(resource, fields.link);
  const target = apiOf(resource).resource(columns.linked[0].field?.traits.target ?? '');
  if (!target) throw new Error(`${resource.name} has no ${fields.link}`);
  const columnsOfKeys = fields.keys.flatMap((name) =>
    target.fields[name] ? [[name, target.fields[name]]] : [],
  );
  const rows = createResource({
    ...{ path: '/prices', one: 'price', key: [], exampleKey: '', columns: [], group: resource.group },
    summary: 'Rows of a price list',
    fields: (): Fields => {
      const linkFields = columns.values.map(({ name, field }) => [name, field]);
      return Object.fromEntries(
        [...columnsOfKeys, ...linkFields].map(([name, field]) => [name, optional(field as Field)]),
      );
    },
    update: { scope: columns.link.scope },
  });
  return { resource, target, rows, columns, fields };
}

/** Returns the field without the traits that only matter for records. */
function optional({ traits: { required, ...traits } }: Field): Field {
  return new Field({ ...traits, writable: 'always' });
}

/** The file of a price list. */
export interface PriceFile {
  format: PriceListFormat;
  /** The name of the file in messages: "The file prices.csv". */
  label: string;
  table: OpenTable;
  options: ImportOptions;
  unescapeFormula(text: string): string;
}

/** A row of a price list. */
export interface PriceRow {
  line: number;
  raw: string | null;
  values: Row;
  problem?: string | undefined;
}

/** Reads all rows. Throws a usage failure for wrong columns. */
export async function readPriceRows({
  format,
  table,
  label,
  options,
  unescapeFormula,
}: PriceFile): Promise<PriceRow[]> {
  const { rows: resource, fields } = format;
  const { columnFor, problems } = matchHeader(resource, options, table.columns);
  const found = (table.columns ?? []).filter((name) => name !== '').map((name) => columnFor(name)?.name);
  const unknownNames = table.columns ? unknownMapNameProblems(options.map, table.columns) : [];
  if (problems.length + unknownNames.length > 0)
    throw headerFailure(label, `${format.resource.command} prices`, [...problems, ...unknownNames]);
  const isIdentified = [fields.code, ...fields.keys].some((name) => found.includes(name));
  if (table.columns && !(isIdentified && found.includes(fields.cost)))
    throw usage(
      `${label} needs a column with the price, and one with the code, barcode, SKU or name of the item.`,
      {
        hint: `To name the columns: --map COLUMN=${fields.cost} --map COLUMN=name`,
      },
    );
  const formats = await detectFormats({ ...options, table, columnFor, label, hasFlags: true });
  const parse = rowParser({ resource, format: table.format, columnFor, formats, options, unescapeFormula });
  const rows: PriceRow[] = [];
  for await (const row of table.rows()) {
    const { intent, problems: rowProblems } = parse(row);
    const doubts = Object.values(intent.doubts ?? {});
    const all = [...rowProblems, ...doubts];
    const problem = all.length === 0 ? undefined : rowError(all).message.replace(/\.$/, '');
    rows.push({ line: row.line, raw: row.raw, values: intent.body, problem });
  }
  if (rows.length === 0) throw usage(`${label} has no rows.`);
  return rows;
}

/** Returns the text that identifies a row to people. */
export function labelOf(values: Row, fields: PriceLists): string | null {
  return labelsOf(values, fields).join(' ') || null;
}

/** Returns the values that identify the item of a row. */
export function labelsOf(values: Row, { code, keys }: PriceLists): string[] {
  return [code, ...keys].map((name) => String(values[name] ?? '')).filter((text) => text !== '');
}
