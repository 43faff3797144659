/** The format of price lists, derived from the link that has the prices, and the rows of a list. */
import type { Row } from '../../../account/session/row.ts';
import { apiOf } from '../../../api/contract/api.ts';
import { type Operation, requireOperation } from '../../../api/contract/operation.ts';
import {
  resource as createResource,
  type PriceLists,
  type Resource,
} from '../../../api/contract/resource.ts';
import { usage } from '../../../base/errors.ts';
import { type RowError, rowError } from '../../runs/ledger/row.ts';
import { headerFailure, matchHeader, unknownMapNameProblems } from '../../tables/columns/match-header.ts';
import { type LinkColumns, linkColumnsOf } from '../links/link-rows.ts';
import { detectFormats } from '../plan/detect-formats.ts';
import { rowParser } from '../plan/parse-row.ts';
import type { ImportPlan } from '../plan/plan-import.ts';

/** The resources and fields of the price lists that a resource's records send. */
export interface PriceListFormat {
  resource: Resource;
  target: Resource;
  /** A resource whose fields are the columns of the list. */
  rows: Resource;
  columns: LinkColumns;
  fields: PriceLists;
  /** The creation of a document that changes costs, with the fields that have no default and aren't computed. */
  adjustment: Operation;
}

/** Returns the format of the price lists of a resource. Throws if it has none. */
export function priceListFormat(resource: Resource): PriceListFormat {
  const { priceLists: fields } = resource;
  const columns = linkColumnsOf(resource, fields?.link);
  const [target, document] = [columns.linked[0].field?.traits.target, fields?.adjustment.resource].map(
    (name = '') => apiOf(resource).resource(name),
  );
  if (!fields || !target || !document) throw new Error(`${resource.name} sends no price lists`);
  const create = requireOperation(document, 'create');
  const body = create.body.filter(
    ({ name, field }) => name !== fields.adjustment.items && field.traits.formDefault === undefined,
  );
  const linkFields = columns.values.map(({ name, field }) => [name, field]);
  const rows = createResource({
    ...{ path: '/prices', one: 'price', key: [], exampleKey: '', columns: [], group: resource.group },
    summary: 'Rows of a price list',
    fields: () => Object.fromEntries([...fields.keys.map((key) => [key, target.fields[key]]), ...linkFields]),
    update: { scope: columns.link.scope },
  });
  return { resource, target, rows, columns, fields, adjustment: { ...create, body } };
}

export type PriceFile = Pick<ImportPlan, 'label' | 'table' | 'options' | 'unguardCell'> &
  Record<'format', PriceListFormat>;

export interface PriceRow {
  line: number;
  raw: string;
  values: Row;
  /** The values that identify its item. */
  labels: readonly string[];
  error?: RowError | undefined;
}

/** Reads all rows. Throws a usage failure for wrong columns. */
export async function readPriceRows(file: PriceFile): Promise<PriceRow[]> {
  const { format, table, label, options } = file;
  const { rows: resource, fields } = format;
  const identifying = [fields.code, ...fields.keys];
  const { columnFor, problems } = matchHeader(resource, options, table.columns);
  const found = table.columns?.filter((name) => name !== '').map((name) => columnFor(name)?.name);
  const unknownNames = table.columns ? unknownMapNameProblems(options.map, table.columns) : [];
  if (problems.length + unknownNames.length > 0)
    throw headerFailure(label, `${format.resource.command} prices`, [...problems, ...unknownNames]);
  if (found && !(found.includes(fields.cost) && identifying.some((name) => found.includes(name))))
    throw usage(
      `${label} needs a column with the price, and one with the code, barcode, SKU or name of the item.`,
      { hint: `To name the columns: --map COLUMN=${fields.cost} --map COLUMN=name` },
    );
  const formats = await detectFormats({ ...options, table, columnFor, label, hasFlags: true });
  const parse = rowParser({ ...file, resource, format: table.format, columnFor, formats });
  const rows: PriceRow[] = [];
  for await (const row of table.rows()) {
    const { intent, problems: rowProblems } = parse(row);
    const values = intent.body;
    const all = [...rowProblems, ...Object.values(intent.doubts ?? {})];
    const price = values[fields.cost];
    if (all.length === 0 && !(typeof price === 'number' && price > 0))
      all.push({ what: typeof price === 'number' ? `has the price ${price}` : 'has no price' });
    const error = all.length === 0 ? undefined : rowError(all);
    const labels = identifying.map((name) => String(values[name] ?? '')).filter((text) => text !== '');
    rows.push({ line: row.line, raw: row.raw, values, labels, error });
  }
  if (rows.length === 0) throw usage(`${label} has no rows.`);
  return rows;
}
