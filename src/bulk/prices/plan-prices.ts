/** Plans a price list in a ledger: compares each row with the link of its item, and sets the prices that changed. */
import { toNumber } from '../../base/number-text.ts';
import { fieldsToInclude } from '../../contract/include.ts';
import { operation } from '../../contract/operation.ts';
import type { PriceLists } from '../../contract/price-lists.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import type { NewRow } from '../../runs/ledger/row.ts';
import { recordSnapshot } from '../../runs/record-snapshot.ts';
import { formatLines, rowError } from '../../runs/row-error.ts';
import { linksIn, pivotOf } from '../../session/record-body.ts';
import { recordTitle } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { LinkColumns } from '../links/link-rows.ts';
import { decideLink } from '../links/plan-links.ts';
import { ItemFinder } from './match-items.ts';
import { isSameUnit, storageUnitsIn } from './pack-size.ts';
import { labelOf, labelsOf, type PriceFile, type PriceRow, readPriceRows } from './price-rows.ts';

/** The plan of a price list. */
export interface PricePlan extends PriceFile {
  ledger: Ledger;
  session: Session;
  /** The sender with its links. */
  sender: Row;
  /** Asks for the item of an unknown row; undefined to leave it out. Absent if boh can't ask. */
  chooseItem?:
    | ((row: Row, suggestions: readonly Row[], items: readonly Row[]) => Promise<Row | undefined>)
    | undefined;
  /** Whether items with a fixed cost get the new cost of their storage unit. Called if there are any. */
  setsFixedCosts(count: number): Promise<boolean>;
}

/** An item of a price list, with its old and new price. */
export interface ItemPrice {
  line: number | null;
  item: Row;
  /** The field by which the item was found. */
  by: string;
  oldCost: number | undefined;
  newCost: number;
  /** The storage units in one unit of the price. */
  factor: number | undefined;
  isNew: boolean;
}

/** A price list compared with the account. */
export interface PriceComparison {
  prices: readonly ItemPrice[];
  /** The items of the sender that the list doesn't contain. */
  missing: readonly Row[];
  /** All items of the account. */
  items: readonly Row[];
}

/**
 * Fills the ledger with the links to set, those with the largest change first, then the costs of items. Rows that can't
 * be compared are excluded with their reason. Throws a usage failure for problems of the file as a whole.
 */
export async function planPrices(plan: PricePlan): Promise<PriceComparison> {
  const { ledger, format, sender } = plan;
  const { fields, columns, target } = format;
  const rows = await readPriceRows(plan);
  const items = await readItems(plan);
  const finder = new ItemFinder(sender, items, target, fields, columns.link.field);
  const links = new Map((linksIn(sender, columns.link.field) ?? []).map((link) => [link.id, link]));
  const excluded: NewRow[] = [];
  const planned: (ItemPrice & { row: NewRow })[] = [];
  const exclude = ({ line, raw, values }: PriceRow, problem: string) =>
    excluded.push({
      line,
      raw,
      key: labelOf(values, fields),
      state: 'bad',
      action: 'skip',
      error: rowError([{ what: problem }]),
    });
  const rowsByItem = Map.groupBy(await matchRows(plan, rows, finder, items, exclude), ({ item }) => item.id);
  for (const matches of rowsByItem.values()) {
    const [match] = matches;
    if (!match) continue;
    if (new Set(matches.map(({ row }) => row.values[fields.cost])).size > 1) {
      const problem = `is one of several rows for ${recordTitle(target, match.item)}: ${formatLines(matches.map(({ row }) => row))}`;
      for (const { row } of matches) exclude(row, problem);
      continue;
    }
    const result = priceOf(plan, match, links.get(match.item.id));
    if (typeof result === 'string') exclude(match.row, result);
    else planned.push(result);
  }
  planned.sort((a, b) => changeOf(b) - changeOf(a));
  ledger.add([...planned.map(({ row }) => row), ...(await fixedCostRows(plan, planned)), ...excluded]);
  const listed = new Set(rowsByItem.keys());
  const byId = new Map(items.map((item) => [item.id, item]));
  const missing = [...links.values()].flatMap((link) =>
    listed.has(link.id) ? [] : [byId.get(link.id) ?? link],
  );
  return { prices: planned, missing, items };
}

/** Returns the relative change of a price; a new one is the largest. */
function changeOf({ oldCost, newCost }: ItemPrice): number {
  return oldCost === undefined || oldCost === 0 ? Number.POSITIVE_INFINITY : Math.abs(newCost / oldCost - 1);
}

async function readItems({ session, format: { target } }: PricePlan): Promise<Row[]> {
  const list = operation(target, 'list');
  if (!list) throw new Error(`${target.name} has no list`);
  const query = { filters: {}, optional: fieldsToInclude(target, ['ingredients']) };
  const items: Row[] = [];
  for await (const batch of session.list({ operation: list, query }, { readsAll: true }).batches())
    items.push(...batch);
  return items;
}

/** A row and its item. `code` is set if a person has confirmed the item. */
interface MatchedRow {
  row: PriceRow;
  item: Row;
  by: string;
  code?: string | undefined;
}

async function matchRows(
  { chooseItem, format: { target, fields } }: PricePlan,
  rows: readonly PriceRow[],
  finder: ItemFinder,
  items: readonly Row[],
  exclude: (row: PriceRow, problem: string) => void,
): Promise<MatchedRow[]> {
  const matches: MatchedRow[] = [];
  for (const row of rows) {
    if (row.problem !== undefined || typeof row.values[fields.cost] !== 'number') {
      exclude(row, row.problem ?? 'has no price');
      continue;
    }
    const match = finder.find(row.values);
    if ('item' in match) {
      matches.push({ row, item: match.item, by: match.by });
      continue;
    }
    const suggestions = match.isUnknown ? finder.suggest(String(row.values.name ?? ''), 5) : [];
    const item = match.isUnknown ? await chooseItem?.(row.values, suggestions, items) : undefined;
    if (item) {
      matches.push({ row, item, by: 'choice', code: labelsOf(row.values, fields)[0] });
      continue;
    }
    const names = suggestions.map((suggestion) => `"${recordTitle(target, suggestion)}"`).join(', ');
    exclude(row, `${match.problem}${names === '' ? '' : `; perhaps ${names}`}`);
  }
  return matches;
}

/** Returns the price of a matched row with its row in the ledger, or the problem. */
function priceOf(
  { format, sender }: PricePlan,
  { row, item, by, code }: MatchedRow,
  link: Row | undefined,
): (ItemPrice & { row: NewRow }) | string {
  const { fields, columns, target } = format;
  const { cost, unit, factor, storageUnit } = fields;
  const [linked, values] = [pivotOf(link), row.values];
  const storage = String(item[storageUnit] ?? '');
  const packUnits = storageUnitsIn(String(values[unit] ?? ''), storage);
  if (link) {
    const problem = unitProblem(values, linked, fields, packUnits);
    if (problem !== undefined) return problem;
  }
  const body: Row = {
    [cost]: values[cost],
    ...(code !== undefined && { [fields.code]: code }),
    // The units of an existing link don't change: its price would mean something else.
    ...(!link && { ...linkValuesOf(values, columns), [factor]: values[factor] ?? packUnits }),
  };
  const isComplete = link !== undefined || (body[unit] !== undefined && body[factor] !== undefined);
  if (!isComplete)
    return `isn't linked to the ${format.resource.noun} yet, and its unit or the number of ${storage} in it is missing`;
  const intent = { owner: String(sender.id), linked: String(item.id), isRemoved: false, body };
  const key = recordTitle(target, item);
  const decided = decideLink(format, intent, sender);
  if (decided.state === 'bad') return String(decided.error?.message ?? '').replace(/\.$/, '');
  const match = JSON.stringify([intent.owner, intent.linked]);
  return {
    ...{
      line: row.line,
      item,
      by,
      oldCost: toNumber(linked[cost]),
      newCost: Number(values[cost]),
      isNew: !link,
    },
    factor: toNumber(link ? linked[factor] : body[factor]),
    row: { line: row.line, raw: row.raw, key, id: intent.owner, match, intent, state: 'read', ...decided },
  };
}

function linkValuesOf(values: Row, { values: columns }: LinkColumns): Row {
  return Object.fromEntries(
    columns.flatMap(({ name }) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
}

/** Returns the problem if the unit of a row isn't the unit of the link's price. */
function unitProblem(
  values: Row,
  linked: Row,
  { unit, factor }: PriceLists,
  packUnits: number | undefined,
): string | undefined {
  const [text, linkedText] = [values[unit], linked[unit]].map((value) => String(value ?? ''));
  const [expected, stated] = [toNumber(linked[factor]), toNumber(values[factor]) ?? packUnits];
  if (expected !== undefined && stated !== undefined) {
    if (Math.abs(stated / expected - 1) < 0.001) return undefined;
    return `contains ${stated} storage units (${text || stated}); the price of the account is for ${expected} (${linkedText})`;
  }
  if (!text || !linkedText || isSameUnit(text, linkedText)) return undefined;
  return `is priced per ${text}; the price of the account is per ${linkedText}`;
}

/** Returns the updates of items whose fixed cost follows the new price. */
async function fixedCostRows(
  { format: { target, fields }, setsFixedCosts }: PricePlan,
  prices: readonly ItemPrice[],
): Promise<NewRow[]> {
  const { itemCost, fixedCost } = fields;
  const rows = prices.flatMap(({ item, oldCost, newCost, factor, line }): NewRow[] => {
    const hasFixedCost = Number(item[fixedCost.field]) === fixedCost.value;
    const cost = factor === undefined || factor <= 0 ? undefined : Number((newCost / factor).toFixed(4));
    if (!hasFixedCost || cost === undefined || newCost === oldCost || toNumber(item[itemCost]) === cost)
      return [];
    const id = String(item.id);
    const known = recordSnapshot(target, item, [itemCost]);
    const steps = [{ resource: target.name, verb: 'update', ids: [id], body: { [itemCost]: cost }, known }];
    const changes = { [itemCost]: [item[itemCost] ?? null, cost] as const };
    return [
      {
        line,
        resource: target.name,
        key: recordTitle(target, item),
        id,
        state: 'planned',
        action: 'update',
        steps,
        changes,
      },
    ];
  });
  return rows.length > 0 && (await setsFixedCosts(rows.length)) ? rows : [];
}
