/** Shows stored records as responses do: in the styles of the service, with the relations that a request gets. */

import type { Link, Records, StoredRecord } from './account.ts';
import type { Relation } from './declaration.ts';
import type { Facts } from './facts.ts';
import { resources } from './resources.ts';

export interface View {
  facts: Facts;
  records: Records;
  isList: boolean;
  /** The paths of relations that the request includes. */
  include: readonly string[];
}

/** Returns a record as it is in a response. */
export function renderRecord(path: string, record: StoredRecord, view: View): Record<string, unknown> {
  const data = resources[path];
  const shown = scalarsOf(path, record, view);
  for (const [name, relation] of Object.entries(data?.relations ?? {})) {
    const isExpanded = isShown(name, relation, view);
    if (!isExpanded && !isLinked(name, relation, view)) continue;
    const links = shownLinks(path, record, name, view.records);
    const items = links.map((link) => renderLink(name, relation, link, view, isExpanded));
    shown[name] = relation.isOne ? (items[0] ?? null) : items;
  }
  return shown;
}

/** Returns the links of a record, also those that the linked records store. */
export function linksOf(path: string, record: StoredRecord, name: string, records: Records): Link[] {
  const relation = resources[path]?.relations?.[name];
  if (!relation?.inverse) return (record[name] ?? []) as Link[];
  const others = [...(records.get(relation.to)?.values() ?? [])];
  return others.flatMap((other) => {
    const link = ((other[relation.inverse ?? ''] ?? []) as Link[]).find(({ id }) => id === record.id);
    return link ? [{ ...link, id: other.id }] : [];
  });
}

/** Returns the links of a record to records that aren't deleted. */
export function shownLinks(path: string, record: StoredRecord, name: string, records: Records): Link[] {
  const target = records.get(resources[path]?.relations?.[name]?.to ?? '');
  return linksOf(path, record, name, records).filter(({ id }) => !target?.get(id)?.deleted_at);
}

/** Returns the relations that a request may include. */
export function includableOf(path: string, { relations, refusedIncludes }: Facts): string[] {
  const { relations: declared = {}, fields = {} } = resources[path] ?? {};
  const names = Object.keys(declared).filter((name) => relations === 'include' || !declared[name]?.isShown);
  return [...names, ...Object.keys(fields).filter((name) => isIncludable(fields[name]))].filter(
    (name) => !refusedIncludes.includes(`${path}.${name}`),
  );
}

/** Returns whether a list of words is shown like a relation. */
function isIncludable(kind: string | undefined): boolean {
  return kind === 'authorities' || kind === 'notifications';
}

function styleOf({ facts, isList }: View): Facts['singleRelations'] {
  return isList ? facts.relations : facts.singleRelations;
}

function isShown(name: string, relation: Pick<Relation, 'isShown'>, view: View): boolean {
  const { facts, isList } = view;
  if (isList && name === 'options' && facts.hasSingleOptions) return false;
  const isIncluded = view.include.some((included) => included.split('.')[0] === name);
  if (isIncluded) return true;
  const style = styleOf(view);
  return style === 'document' && relation.isShown === true;
}

/** Returns whether a relation is shown by IDs. In the samples of the API document, related records are. */
function isLinked(name: string, { isOne }: Relation, view: View): boolean {
  if (view.isList && name === 'options' && view.facts.hasSingleOptions) return false;
  const style = styleOf(view);
  return style === 'links' || (style === 'document' && isOne === true);
}

function renderLink(
  name: string,
  relation: Relation,
  link: Link,
  view: View,
  isExpanded: boolean,
): Record<string, unknown> {
  const { id, ...pivot } = link;
  // The options of a modifier have no list.
  if (relation.to === '') return withStyles({}, link, view.facts);
  const target = isExpanded ? renderTarget(name, relation, id, view) : { id };
  const kinds = relation.pivot ?? resources[relation.to]?.relations?.[relation.inverse ?? '']?.pivot;
  return kinds ? { ...target, pivot: withStyles(kinds, pivot, view.facts) } : target;
}

function renderTarget(name: string, { to }: Relation, id: string, view: View): Record<string, unknown> {
  const prefix = `${name}.`;
  const nested = view.include
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length));
  const facts: Facts = { ...view.facts, relations: 'include', singleRelations: 'include' };
  return renderRecord(to, view.records.get(to)?.get(id) ?? { id }, { ...view, include: nested, facts });
}

function scalarsOf(path: string, record: StoredRecord, view: View): Record<string, unknown> {
  const { relations = {}, fields = {}, deletes = 'removed' } = resources[path] ?? { deletes: 'softly' };
  const scalars = Object.entries(record).filter(
    ([name]) =>
      !relations[name] &&
      // The API document has no time of deletion for them.
      (name !== 'deleted_at' || deletes !== 'removed') &&
      (!isIncludable(fields[name]) || styleOf(view) === 'links' || isShown(name, {}, view)),
  );
  return withStyles(fields, Object.fromEntries(scalars), view.facts);
}

function withStyles(
  kinds: Readonly<Record<string, string>>,
  values: Readonly<Record<string, unknown>>,
  { booleans, dialCodes }: Facts,
): Record<string, unknown> {
  const entries = Object.entries(values).map(([name, value]): [string, unknown] => {
    if (typeof value === 'boolean' && booleans === 'numbers') return [name, Number(value)];
    if (kinds[name] === 'calling code' && value !== null && dialCodes === 'text')
      return [name, String(value)];
    return [name, value];
  });
  return Object.fromEntries(entries);
}
