/**
 * Compares a declared record with the current one, field by field and link by link, and returns the requests and
 * the changes.
 */

import { isScalar } from '../../base/number-text.ts';
import { normalizeKey } from '../../contract/normalize-key.ts';
import { type Operation, operation, plainBodyField } from '../../contract/operation.ts';
import { isRowReference, type RowReference } from '../../runs/ledger/row-reference.ts';
import { differenceOf, type FieldChange } from '../../session/diff/fields.ts';
import { itemKey, type ListMerge, mergeLists } from '../../session/diff/lists.ts';
import { isSameValue } from '../../session/diff/values.ts';
import { isDeleted } from '../../session/list.ts';
import { bodyFrom } from '../../session/record-body.ts';
import { isRow, type Row } from '../../session/row.ts';
import { type Declared, type DeclaredValue, keyText } from '../declared/declared.ts';
import type { ManifestField } from '../declared/fields.ts';
import { placeholder, replaceRefs, withPlaceholders } from '../declared/ref.ts';
import type { Mistakes } from '../source/mistakes.ts';
import type { Change, LinkRequest } from './change.ts';
import { type DisplayContext, shownValue } from './names.ts';
import type { Resolution } from './resolve.ts';

/** The resolved records and the functions that the comparison of a record uses. */
export interface ComparisonContext {
  resolution: Resolution;
  mistakes: Mistakes;
  /** Whether the plan is only a comparison; see `PlanOptions`. */
  isCompared: boolean;
  /** Called for fields that the service doesn't return. They can't be compared. */
  onNotReturned(record: Declared, field: ManifestField): void;
  /** Returns the name by which other rows refer to the row of a record. */
  rowName(record: Declared): string;
  /** Returns the name of a record. */
  labelOf(target: string, id: unknown): string;
  /** Returns the problems of the body of a new record; undefined if nothing will be sent. */
  creationProblems: ((create: Operation, body: Row) => string[]) | undefined;
}

/** Returns the change of a record; undefined if nothing has to be sent. */
export function compareRecord(record: Declared, comparing: ComparisonContext): Change | undefined {
  const { resource } = record;
  const row = comparing.resolution.rows.get(record);
  const own = new RecordComparison(record, comparing, row);
  const fields =
    row && isDeleted(row) ? { deleted_at: { old: row.deleted_at, new: null }, ...own.fields } : own.fields;
  if (row && Object.keys(fields).length === 0 && own.links.length === 0) return undefined;
  const set = own.links.filter(({ change }) => change.action !== 'delete');
  const base = {
    resource,
    key: keyText(record),
    title: titleOf(record, row),
    id: typeof row?.id === 'string' ? row.id : undefined,
    fields,
    links: own.links.map(({ change }) => change),
    ...expandedVariables(record, [...Object.keys(fields), ...set.map(({ change }) => change.link)]),
  };
  const isRestored = row !== undefined && isDeleted(row);
  const work = { name: comparing.rowName(record), isRestored, known: row, links: own.links };
  if (!row) return { action: 'create', ...base, work: { ...work, ...own.newRecordBodies() } };
  const update = Object.keys(own.body).length > 0 ? own.body : undefined;
  return { action: 'update', ...base, work: { ...work, create: undefined, update } };
}

/** Returns the variables that are expanded in the changed values. */
function expandedVariables({ given }: Declared, changed: readonly string[]): Pick<Change, 'expanded'> {
  const entries = [...new Set(changed)].flatMap((name) => {
    const { expanded } = given.get(name) ?? {};
    return expanded ? [[name, expanded] as const] : [];
  });
  return entries.length > 0 ? { expanded: Object.fromEntries(entries) } : {};
}

/** Returns the title in the file, or the title in the account. */
function titleOf(record: Declared, row: Row | undefined): string | undefined {
  const { given } = record;
  const { title = '' } = record.resource;
  const text = given.get(title)?.value ?? row?.[title];
  return typeof text === 'string' && text !== '' && text !== keyText(record) ? text : undefined;
}

class RecordComparison {
  readonly body: Row = {};
  readonly fields: Record<string, FieldChange> = {};
  readonly links: LinkRequest[] = [];
  readonly #record: Declared;
  readonly #comparing: ComparisonContext;
  readonly #row: Row | undefined;
  readonly #display: DisplayContext;

  constructor(record: Declared, comparing: ComparisonContext, row: Row | undefined) {
    this.#record = record;
    this.#comparing = comparing;
    this.#row = row;
    this.#display = { resource: record.resource, labelOf: comparing.labelOf };
    for (const given of record.given.values()) {
      const value = this.#resolved(given.value);
      if (given.field.link) this.#compareLinks(given, value, given.field.link);
      else this.#compareField(given, value);
    }
  }

  /** Returns the body of the creation, and of the update for fields that the creation doesn't accept. */
  newRecordBodies(): { create: Row; update: Row | undefined } {
    const { resource, location } = this.#record;
    const creation = operation(resource, 'create');
    if (!creation) throw new Error(`${resource.name} can't be created`);
    const creationFields = new Set(creation.body.map(({ name }) => name));
    const entries = Object.entries(this.body);
    const create = Object.fromEntries(entries.filter(([name]) => creationFields.has(name)));
    const later = entries.filter(([name]) => !creationFields.has(name));
    const { isCompared, creationProblems } = this.#comparing;
    if (isCompared) return { create, update: undefined };
    for (const problem of creationProblems?.(
      creation,
      withPlaceholders(withRowPlaceholders(create)) as Row,
    ) ?? []) {
      this.#comparing.mistakes.add(location, `is new, and ${problem}`);
    }
    return { create, update: later.length > 0 ? Object.fromEntries(later) : undefined };
  }

  #resolved(value: unknown): unknown {
    const { resolution, rowName } = this.#comparing;
    return replaceRefs(value, (ref) => {
      const target = resolution.target(ref);
      return target?.record ? { $row: rowName(target.record) } : (target?.id ?? placeholder);
    });
  }

  #compareField(given: DeclaredValue, value: unknown): void {
    const { field } = given;
    const { secret, writeOnly } = field.field.traits;
    const sent = field.sent ?? field.name;
    if (!this.#row) {
      // A cleared field is the same as a missing one in a new record.
      if (value === null) return;
      this.#addChange(field, sent, null, value);
      return;
    }
    // A field that responses never contain is sent only with new records.
    if (secret || writeOnly) {
      this.#comparing.onNotReturned(this.#record, field);
      return;
    }
    const entry = field.update ?? field.create;
    const current = bodyFrom({ body: entry ? [entry] : [] }, this.#row);
    if (current.unknown.includes(sent)) {
      this.#comparing.onNotReturned(this.#record, field);
      return;
    }
    const is = current.body[sent] ?? null;
    if (value === null && this.#keepsMembers(given, is)) return;
    const will = mergeLists(field.field, is, value, this.#mergeOf(field));
    if (isSameValue(field.field, is, will) || this.#isSameKey(field, is, will)) return;
    if (field.update || this.#comparing.isCompared) this.#addChange(field, sent, is, will);
    else this.#refuseImmutable(given, is, will);
  }

  /**
   * Returns whether both values are the key that matched the row, in different spelling. Only a rename changes it.
   */
  #isSameKey({ name, field }: ManifestField, is: unknown, will: unknown): boolean {
    const { key, oldKey } = this.#record;
    if (oldKey || typeof is !== 'string' || typeof will !== 'string') return false;
    return key.some((part) => part.name === name) && normalizeKey(field, is) === normalizeKey(field, will);
  }

  /**
   * Returns how a list is merged: records that the file doesn't name are kept, unless `$exact` is set. Lists of words
   * and numbers are replaced.
   */
  #mergeOf({ field: { kind } }: ManifestField): ListMerge {
    if (kind !== 'many' && kind !== 'objects') return 'replace';
    return this.#record.isExact ? 'exact' : 'add';
  }

  /**
   * Returns whether null leaves a list unchanged, because the record isn't exact. An empty value for a non-empty list
   * is a mistake.
   */
  #keepsMembers({ field, location }: DeclaredValue, is: unknown): boolean {
    const isOfRecords = field.field.kind === 'many' || field.field.kind === 'objects';
    if (!isOfRecords || this.#record.isExact) return false;
    if (Array.isArray(is) && is.length > 0)
      this.#comparing.mistakes.add(
        location,
        `${field.name} would lose all its entries: to allow this, set $exact: true`,
      );
    return true;
  }

  #refuseImmutable({ field, location }: DeclaredValue, is: unknown, will: unknown): void {
    const [old, next] = [is, will].map((value) => JSON.stringify(this.#shown(field, value)));
    this.#comparing.mistakes.add(
      location,
      `${field.name} can't be changed after creation (from ${old} to ${next})`,
    );
  }

  #addChange(field: ManifestField, sent: string, is: unknown, will: unknown): void {
    this.body[sent] = will;
    this.fields[field.name] = { old: this.#shown(field, is), new: this.#shown(field, will) };
  }

  #shown(field: ManifestField, value: unknown): unknown {
    return shownValue(field.field, value, field.name, this.#display);
  }

  #compareLinks(
    given: DeclaredValue,
    value: unknown,
    { set, remove }: NonNullable<ManifestField['link']>,
  ): void {
    const { field, location } = given;
    const asBody = plainBodyField(field.name, field.field);
    const currentLinks = this.#row ? bodyFrom({ body: [asBody] }, this.#row).body[field.name] : [];
    if (value === null && this.#keepsMembers(given, currentLinks)) return;
    const before = new Map(
      (Array.isArray(currentLinks) ? currentLinks : []).filter(isRow).map((link) => [itemKey(link), link]),
    );
    for (const link of Array.isArray(value) ? value.filter(isRow) : []) {
      const current = before.get(itemKey(link));
      before.delete(itemKey(link));
      const { id, ...linkValues } = link;
      const changed = current ? differenceOf(set.body, linkValues, current).body : linkValues;
      if (current && Object.keys(changed).length === 0) continue;
      const { id: _, ...rest } = current ?? {};
      const body = { ...rest, ...linkValues };
      if (!current && !this.#comparing.isCompared) this.#refuseIncomplete(set, body, location);
      this.#link(
        current ? 'update' : 'create',
        field,
        set,
        id as string | RowReference,
        body,
        this.#pivotChanges(set, rest, changed),
      );
    }
    for (const link of this.#record.isExact ? before.values() : []) {
      const { id, ...rest } = link;
      const removed = Object.fromEntries(
        Object.entries(rest).map(([name, old]) => [name, { old, new: null }]),
      );
      this.#link('delete', field, remove, String(id), undefined, removed);
    }
  }

  #pivotChanges(set: Operation, before: Row, after: Row): Record<string, FieldChange> {
    const entries = Object.entries(after).map(([name, value]) => {
      const field = set.body.find((entry) => entry.name === name)?.field;
      const show = (one: unknown) => (field ? shownValue(field, one, name, this.#display) : (one ?? null));
      return [name, { old: show(before[name]), new: show(value) }];
    });
    return Object.fromEntries(entries);
  }

  #refuseIncomplete({ body: fields }: Operation, body: Row, location: DeclaredValue['location']): void {
    const missing = fields.filter(({ name, isRequired }) => isRequired && (body[name] ?? null) === null);
    for (const { name } of missing) this.#comparing.mistakes.add(location, `a new link requires ${name}`);
  }

  #link(
    action: LinkRequest['change']['action'],
    { name, field }: ManifestField,
    linking: Operation,
    other: string | RowReference,
    body: Row | undefined,
    fields: Record<string, FieldChange>,
  ): void {
    const key = this.#comparing.labelOf(field.traits.target ?? '', other);
    this.links.push({ change: { action, link: name, key, fields }, operation: linking, other, body });
  }
}

/** Replaces references to other rows by a placeholder ID. */
function withRowPlaceholders(value: unknown): unknown {
  if (isScalar(value)) return value;
  if (Array.isArray(value)) return value.map(withRowPlaceholders);
  if (isRowReference(value)) return placeholder;
  return Object.fromEntries(
    Object.entries(value as Row).map(([name, inner]) => [name, withRowPlaceholders(inner)]),
  );
}
