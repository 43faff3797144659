/** Plans a price list in a ledger: compares each row with the link of its item, and sets the prices that changed. */
import { linksIn, linkTo, pivotOf } from '../../../account/session/record-body.ts';
import { formatCandidates, KeyIndex, recordTitle } from '../../../account/session/record-key.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { toAsciiDigits } from '../../../api/contract/ascii-digits.ts';
import type { Field } from '../../../api/contract/field.ts';
import { fieldsToInclude } from '../../../api/contract/include.ts';
import { requireOperation } from '../../../api/contract/operation.ts';
import type { PriceLists, Resource } from '../../../api/contract/resource.ts';
import { foldWords } from '../../../base/fold-text.ts';
import { toNumber } from '../../../base/number-text.ts';
import { findUnit, foldUnit, type Unit } from '../../../base/units.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { formatLines, type NewRow, type RowError, rowError } from '../../runs/ledger/row.ts';
import { percentChange } from '../../runs/limits.ts';
import { defaultOptions as options } from '../../tables/columns/options.ts';
import { requireLinks } from '../links/link-rows.ts';
import { decideLinkRow } from '../links/plan-links.ts';
import { decideRow } from '../plan/decide-row.ts';
import { type PriceFile, type PriceRow, readPriceRows } from './price-rows.ts';

/** How the cost of items follows their price: not at all, as their new fixed cost, or in a draft document with these fields. */
export type CostChoice = 'none' | 'costs' | { adjustment: Row };

export interface PricePlan extends PriceFile {
  ledger: Ledger;
  session: Session;
  sender: Row;
  /** Asks for the item of an unknown row. Returns undefined to leave it out, also if boh can't ask. */
  chooseItem(name: string, suggestions: readonly Row[], items: readonly Row[]): Promise<Row | undefined>;
  /** Called with the number of items with a fixed cost whose price changes, if there are any. */
  chooseCosts(count: number): Promise<CostChoice>;
}

/** An item of a price list, with its old and new price. */
export interface ItemPrice {
  item: Row;
  /** The field by which the item was found. */
  by: string;
  oldCost: number | undefined;
  newCost: number;
  /** The storage units in one unit of the price. */
  factor: number | undefined;
  /** The row that sets the price. */
  row: NewRow;
}

/** A price list compared with the account. */
export interface PriceComparison {
  /** The prices with the largest change first. */
  prices: readonly ItemPrice[];
  /** The items of the sender that the list doesn't contain. */
  missing: readonly Row[];
  items: readonly Row[];
}

/**
 * Fills the ledger with the links to set, those with the largest change first, then the costs of items. Rows that can't
 * be compared are excluded with their reason. Throws a usage failure for problems of the file as a whole.
 */
export async function planPrices(plan: PricePlan): Promise<PriceComparison> {
  const { ledger, session, format, sender } = plan;
  const { resource, target, fields, columns } = format;
  const rows = await readPriceRows(plan);
  const query = { filters: {}, optional: fieldsToInclude(target, ['ingredients']) };
  const list = session.list({ operation: requireOperation(target, 'list'), query }, { readsAll: true });
  const items = await Array.fromAsync(list.rows());
  const { field } = columns.link;
  const codeField = resource.fields[field]?.traits.pivot?.[fields.code];
  const finder = new ItemFinder(sender, items, target, fields, field, codeField);
  const excluded: NewRow[] = [];
  const exclude = ({ line, raw, labels }: PriceRow, { error }: Problem) =>
    excluded.push({ line, raw, key: labels.join(' ') || null, state: 'bad', action: 'skip', error });
  const matches: MatchedRow[] = [];
  for (const row of rows) {
    const match = await matchRow(plan, row, finder, items);
    if ('error' in match) exclude(row, match);
    else matches.push({ ...row, ...match });
  }
  const prices: ItemPrice[] = [];
  const matchesByItem = Map.groupBy(matches, ({ item }) => item.id);
  for (const [first, ...others] of matchesByItem.values()) {
    if (!first) continue;
    const price = priceOf(plan, first, others);
    if ('error' in price) for (const row of [first, ...others]) exclude(row, price);
    else prices.push(price);
  }
  const changeOf = ({ oldCost, newCost }: ItemPrice) =>
    Math.abs(percentChange(oldCost, newCost) ?? Number.POSITIVE_INFINITY);
  prices.sort((a, b) => changeOf(b) - changeOf(a));
  ledger.add([...prices.map(({ row }) => row), ...(await costRows(plan, prices)), ...excluded]);
  const itemsById = new Map(items.map((item) => [item.id, item]));
  const unlisted = requireLinks(sender, columns, resource).filter(({ id }) => !matchesByItem.has(id));
  return { prices, missing: unlisted.map((link) => itemsById.get(link.id) ?? link), items };
}

/** A row with its item. `code` is set if a person has confirmed the item. */
interface MatchedRow extends PriceRow {
  item: Row;
  by: string;
  code?: string | undefined;
}

/** The problem of a row that is left out. */
type Problem = Record<'error', RowError>;

async function matchRow(
  { chooseItem, session, options: { acceptsDamage }, format: { target, fields } }: PricePlan,
  { error, values, labels, line }: PriceRow,
  finder: ItemFinder,
  items: readonly Row[],
): Promise<Pick<MatchedRow, 'item' | 'by' | 'code'> | Problem> {
  if (error) return { error };
  const match = finder.find(values);
  if ('item' in match) {
    const { item, by, written } = match;
    if (written !== undefined)
      session.spellings.add({ subject: `line ${line}:`, written, stored: recordTitle(target, item) });
    return { item, by };
  }
  if (!match.isUnknown) return problem(match.problem);
  const damaged = finder.findSimilarCodes(values);
  const [damagedItem] = damaged;
  if (damagedItem && damaged.length === 1 && acceptsDamage) return { item: damagedItem, by: fields.code };
  const suggestions = [...new Set([...damaged, ...finder.suggest(String(values.name ?? ''), 5)])];
  const item = await chooseItem(labels.join(' '), suggestions, items);
  // A damaged code doesn't replace the stored one.
  if (item) return { item, by: 'choice', code: damaged.includes(item) ? undefined : labels[0] };
  const reason = damagedItem
    ? 'has a code that lost its leading zeros or has letters for digits (to accept it: --accept-damage)'
    : match.problem;
  const names = suggestions.map((suggestion) => `"${recordTitle(target, suggestion)}"`).join(', ');
  return problem(`${reason}${names === '' ? '' : `; perhaps ${names}`}`);
}

function problem(what: string): Problem {
  return { error: rowError([{ what }]) };
}

function priceOf(
  { format, sender, options: { acceptsDamage } }: PricePlan,
  first: MatchedRow,
  others: readonly MatchedRow[],
): ItemPrice | Problem {
  const { fields, columns, target, resource } = format;
  const { cost, unit, factor } = fields;
  const { line, raw, item, by, code, values } = first;
  const key = recordTitle(target, item);
  if (others.some((other) => other.values[cost] !== values[cost]))
    return problem(`is one of several rows for ${key}: ${formatLines([first, ...others])}`);
  const link = linkTo(sender, columns.link.field, String(item.id));
  const linked = pivotOf(link);
  const text = String(values[unit] ?? '');
  const storage = String(item[fields.storageUnit] ?? '');
  const packUnits = toNumber(values[factor]) ?? storageUnitsIn(text, storage);
  const otherUnit = link && unitProblem(text, packUnits, linked, fields);
  if (otherUnit !== undefined) return problem(otherUnit);
  const chosen = code === undefined ? {} : { [fields.code]: code };
  const linkValues = Object.entries(values).filter(([name]) => !fields.keys.includes(name));
  // The units of an existing link don't change: its price would mean something else.
  const body: Row = link
    ? { [cost]: values[cost], ...chosen }
    : { ...chosen, ...Object.fromEntries(linkValues), [factor]: packUnits };
  if (!link && (text === '' || packUnits === undefined))
    return problem(
      `isn't linked to the ${resource.noun} yet, and its unit or the number of ${storage} in it is missing`,
    );
  const intent = { owner: String(sender.id), linked: String(item.id), isRemoved: false, body };
  const match = JSON.stringify([intent.owner, intent.linked]);
  const decided = decideLinkRow({ ...format, acceptsDamage }, intent, sender);
  if (decided.error) return { error: decided.error };
  return {
    ...{ item, by, oldCost: toNumber(linked[cost]), newCost: Number(values[cost]) },
    factor: link ? toNumber(linked[factor]) : packUnits,
    row: { line, raw, key, id: intent.owner, match, intent, state: 'read', ...decided },
  };
}

/** Returns the problem if the unit of a price, with its storage units, isn't the unit of the link. */
function unitProblem(text: string, stated: number | undefined, linked: Row, { unit, factor }: PriceLists) {
  const [linkedText, expected] = [String(linked[unit] ?? ''), toNumber(linked[factor])];
  if (expected !== undefined && stated !== undefined) {
    if (Math.abs(stated / expected - 1) < 0.001) return undefined;
    return `contains ${stated} storage units (${text || stated}); the price of the account is for ${expected} (${linkedText})`;
  }
  if (!text || !linkedText || isSameUnit(text, linkedText)) return undefined;
  return `is priced per ${text}; the price of the account is per ${linkedText}`;
}

/** Returns the rows that set the fixed cost of items whose price changes: one for each item, or one document. */
async function costRows(
  { format: { target, fields, ...format }, sender, chooseCosts }: PricePlan,
  prices: readonly ItemPrice[],
): Promise<NewRow[]> {
  const { itemCost, fixedCost, adjustment } = fields;
  const costs = prices.flatMap(({ item, oldCost, newCost, factor = 0, row: { line } }) => {
    const cost = Number((newCost / factor).toFixed(4));
    const hasFixedCost = Number(item[fixedCost.field]) === fixedCost.value;
    const isChanged = factor > 0 && newCost !== oldCost && toNumber(item[itemCost]) !== cost;
    return hasFixedCost && isChanged ? [{ item, cost, line }] : [];
  });
  const choice = costs.length === 0 ? 'none' : await chooseCosts(costs.length);
  if (choice === 'none') return [];
  if (choice === 'costs')
    return costs.map(({ item, cost, line }) => {
      const intent = { command: 'update' as const, body: { [itemCost]: cost } };
      const change = decideRow(intent, item, { resource: target, options });
      return { line, resource: target.name, key: recordTitle(target, item), state: 'read', ...change };
    });
  const { resource } = format.adjustment;
  const items = costs.map(({ item, cost }) => ({ id: item.id, [adjustment.cost]: cost }));
  const body = { ...choice.adjustment, [adjustment.items]: items };
  const change = decideRow({ command: 'create', body }, undefined, { resource, options });
  const key = recordTitle(format.resource, sender);
  return [{ line: null, resource: resource.name, key, state: 'read', ...change }];
}

/** Matches `12 x 1 kg`, `6×500ml` and `25 kg`, also within other text: `Bag 25 kg`. */
const packPattern = /(?:(\d+)\s*[x×*]\s*)?(?:(\d+)\s*[x×*]\s*)?(\d+(?:[.,]\d+)?)\s*(\p{L}+)/iu;

/** Returns the number of storage units in a pack; undefined if the text names no size that can be compared. */
export function storageUnitsIn(pack: string, storageUnit: string): number | undefined {
  const [, outer = '1', inner = '1', number = '', unit = ''] = packPattern.exec(toAsciiDigits(pack)) ?? [];
  const [packed, stored] = [findPackUnit(unit), findPackUnit(storageUnit)];
  const count = Number(outer) * Number(inner) * Number(number.replace(',', '.'));
  return count > 0 && packed && stored && packed.measures === stored.measures
    ? (count * packed.size) / stored.size
    : undefined;
}

/** Returns whether two texts name the same unit: equal but for case and plural, or two names of one unit. */
export function isSameUnit(a: string, b: string): boolean {
  const unit = findPackUnit(a);
  return foldUnit(a) === foldUnit(b) || (unit !== undefined && unit === findPackUnit(b));
}

function findPackUnit(name: string): Unit | undefined {
  return findUnit(foldUnit(name) === 'unit' ? 'piece' : name);
}

/** The result for a row: its item and the field that matched, with the code or name if the item has another spelling; or the reason why there is none. */
type ItemMatch =
  | { item: Row; by: string; written?: string | undefined }
  | { problem: string; isUnknown: boolean };

/** Finds items by the values of a row. */
class ItemFinder {
  readonly #target: Resource;
  readonly #items: readonly Row[];
  readonly #keys: readonly string[];
  /** Items by each field. The sender's codes are a field, too. */
  readonly #index = new KeyIndex<Row>();
  readonly #codeField: string;

  /** `record` is the sender with its links to items in `field`; `items` are all items of the account. */
  constructor(
    record: Row,
    items: readonly Row[],
    target: Resource,
    { code, keys }: PriceLists,
    field: string,
    codeField: Field | undefined,
  ) {
    this.#target = target;
    this.#items = items;
    this.#keys = keys;
    this.#codeField = code;
    const byId = new Map(items.map((item) => [item.id, item]));
    const links = linksIn(record, field) ?? [];
    const add = (responseName: string, value: unknown, item: Row, field: Field | undefined) =>
      this.#index.add([{ responseName, field }], { [responseName]: value }, item);
    for (const link of links) add(code, pivotOf(link)[code], byId.get(link.id) ?? link, codeField);
    for (const key of keys) for (const item of items) add(key, item[key], item, target.fields[key]);
  }

  /** Finds the item of a row. Values of different items in one row are a problem. */
  find(values: Row): ItemMatch {
    // A price list may call the sender's code a SKU, and a confirmed name is stored as the code.
    const searches = [
      ...[this.#codeField, ...this.#keys].map((name) => [this.#codeField, values[name]] as const),
      ...this.#keys.map((key) => [key, values[key]] as const),
    ];
    let found: Extract<ItemMatch, { item: Row }> | undefined;
    for (const [field, value] of searches) {
      if (typeof value !== 'string' || value === '') continue;
      const match = this.#findBy(field, value);
      if (!match) continue;
      if ('problem' in match) return found ?? match;
      if (found && found.item.id !== match.item.id && field !== 'name') {
        const [first, second] = [found.by, match.by].map((name) => this.#label(name));
        const items = formatCandidates(this.#target, [found.item, match.item]);
        return {
          problem: `its ${first} and its ${second} belong to different items: ${items}`,
          isUnknown: false,
        };
      }
      found ??= match;
    }
    return found ?? { problem: `isn't one of the ${this.#target.nouns}`, isUnknown: true };
  }

  /** Returns the items with a code that is similar to one of the row, for example with other leading zeros. */
  findSimilarCodes(values: Row): Row[] {
    const names = [this.#codeField, ...this.#keys].filter((name) => name !== this.#target.title);
    return [...new Set(names.flatMap((name) => this.#index.related({ [name]: values[name] }).similar))];
  }

  /** Returns the items with the most words of a name, at most `count`. */
  suggest(name: string, count: number): Row[] {
    const words = new Set(foldWords(name));
    const shared = (item: Row) => {
      const itemWords = foldWords(String(item.name ?? ''));
      const common = itemWords.filter((word) => words.has(word)).length;
      return (2 * common) / (itemWords.length + words.size || 1);
    };
    const ranked = this.#items.map((item) => ({ item, score: shared(item) }));
    return ranked
      .filter(({ score }) => score >= 0.4)
      .sort((a, b) => b.score - a.score)
      .slice(0, count)
      .map(({ item }) => item);
  }

  #findBy(field: string, value: string): ItemMatch | undefined {
    const { same, folded } = this.#index.related({ [field]: value });
    const items = [...new Set(same.length > 0 ? same : folded)];
    const [item, ...others] = items;
    if (!item) return undefined;
    const candidates = formatCandidates(this.#target, items);
    if (others.length > 0)
      return {
        problem: `its ${this.#label(field)} belongs to several items: ${candidates}`,
        isUnknown: false,
      };
    return { item, by: field, written: same.length > 0 ? undefined : value };
  }

  #label(field: string): string {
    return field === this.#codeField ? 'code' : (this.#target.fields[field]?.traits.label ?? field);
  }
}
