/**
 * Compares a declared record with the current one, field by field and link by link, and returns the requests and
 * the changes.
 */

import { isScalar } from '../../base/number-text.ts';
import { keyForm } from '../../contract/key-form.ts';
import { type Operation, operation, plainBodyField } from '../../contract/operation.ts';
import { isRowReference, type RowReference } from '../../runs/ledger/row-reference.ts';
import { differenceOf, type FieldChange } from '../../session/diff/fields.ts';
import { itemKey, type ListMerge, mergedList } from '../../session/diff/lists.ts';
import { isSame } from '../../session/diff/values.ts';
import { isDeleted } from '../../session/list.ts';
import { bodyFrom } from '../../session/record-body.ts';
import { isRow, type Row } from '../../session/row.ts';
import { type Declared, type Given, keyText } from '../declared/declared.ts';
import type { ManifestField } from '../declared/fields.ts';
import { placeholder, replaceRefs, stoodFor } from '../declared/ref.ts';
import type { Mistakes } from '../source/mistakes.ts';
import type { Change, LinkWork } from './change.ts';
import { type Showing, shownValue } from './names.ts';
import type { Resolution } from './resolve.ts';

/** What the comparison of a record needs. */
export interface Comparing {
  resolution: Resolution;
  mistakes: Mistakes;
  /** Whether the plan is only a comparison; see `Planning`. */
  isCompared: boolean;
  /** Called for fields that the service doesn't show, and which therefore can't be compared. */
  onUnknown(record: Declared, field: ManifestField): void;
  /** Returns the name by which other rows refer to the row of a record. */
  rowName(record: Declared): string;
  /** Returns the name of a record. */
  called(target: string, id: unknown): string;
  /** Returns everything that is wrong with the body of a new record; undefined if nothing will be sent. */
  problemsAsNew: ((create: Operation, body: Row) => string[]) | undefined;
}

/** Returns the change of a record; undefined if nothing has to be sent. */
export function compareRecord(record: Declared, comparing: Comparing): Change | undefined {
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
    ...expandedIn(record, [...Object.keys(fields), ...set.map(({ change }) => change.link)]),
  };
  const isRestored = row !== undefined && isDeleted(row);
  const work = { name: comparing.rowName(record), isRestored, known: row, links: own.links };
  if (!row) return { action: 'create', ...base, work: { ...work, ...own.asNew() } };
  const update = Object.keys(own.body).length > 0 ? own.body : undefined;
  return { action: 'update', ...base, work: { ...work, create: undefined, update } };
}

/** Returns the variables that are expanded in the changed values. */
function expandedIn({ given }: Declared, changed: readonly string[]): Pick<Change, 'expanded'> {
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
  readonly links: LinkWork[] = [];
  readonly #record: Declared;
  readonly #comparing: Comparing;
  readonly #row: Row | undefined;
  readonly #showing: Showing;

  constructor(record: Declared, comparing: Comparing, row: Row | undefined) {
    this.#record = record;
    this.#comparing = comparing;
    this.#row = row;
    this.#showing = { resource: record.resource, called: comparing.called };
    for (const given of record.given.values()) {
      const value = this.#resolved(given.value);
      if (given.field.link) this.#compareLinks(given, value, given.field.link);
      else this.#compareField(given, value);
    }
  }

  /** Returns the body of the creation, and of the update for fields that the creation doesn't accept. */
  asNew(): { create: Row; update: Row | undefined } {
    const { resource, at } = this.#record;
    const make = operation(resource, 'create');
    if (!make) throw new Error(`${resource.name} has no creation`);
    const taken = new Set(make.body.map(({ name }) => name));
    const entries = Object.entries(this.body);
    const create = Object.fromEntries(entries.filter(([name]) => taken.has(name)));
    const later = entries.filter(([name]) => !taken.has(name));
    const { isCompared, problemsAsNew } = this.#comparing;
    if (isCompared) return { create, update: undefined };
    for (const problem of problemsAsNew?.(make, stoodFor(withPlaceholders(create)) as Row) ?? []) {
      this.#comparing.mistakes.add(at, `is new, and ${problem}`);
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

  #compareField(given: Given, value: unknown): void {
    const { field } = given;
    const { secret, writeOnly } = field.field.traits;
    const sent = field.sent ?? field.name;
    if (!this.#row) {
      // A cleared field is the same as a missing one in a new record.
      if (value === null) return;
      this.#take(field, sent, null, value);
      return;
    }
    // A field that answers never show is sent only with new records.
    if (secret || writeOnly) {
      this.#comparing.onUnknown(this.#record, field);
      return;
    }
    const entry = field.update ?? field.create;
    const current = bodyFrom({ body: entry ? [entry] : [] }, this.#row);
    if (current.unknown.includes(sent)) {
      this.#comparing.onUnknown(this.#record, field);
      return;
    }
    const is = current.body[sent] ?? null;
    if (value === null && this.#keepsMembers(given, is)) return;
    const will = mergedList(field.field, is, value, this.#mergeOf(field));
    if (isSame(field.field, is, will) || this.#isItsKey(field, is, will)) return;
    if (field.update || this.#comparing.isCompared) this.#take(field, sent, is, will);
    else this.#refuseFixed(given, is, will);
  }

  /**
   * Returns whether both values are the key that matched the row, in different spelling: that needs no change,
   * except in a rename.
   */
  #isItsKey({ name, field }: ManifestField, is: unknown, will: unknown): boolean {
    const { key, oldKey } = this.#record;
    if (oldKey || typeof is !== 'string' || typeof will !== 'string') return false;
    return key.some((part) => part.name === name) && keyForm(field, is) === keyForm(field, will);
  }

  /**
   * Returns how a list is merged: unnamed records stay unless `$exact` is set; lists of words and numbers are
   * replaced.
   */
  #mergeOf({ field: { kind } }: ManifestField): ListMerge {
    if (kind !== 'many' && kind !== 'objects') return 'replace';
    return this.#record.isExact ? 'exact' : 'add';
  }

  /**
   * Returns whether null leaves a list as it is, because the record isn't exact. An empty value for a list with
   * members is a mistake.
   */
  #keepsMembers({ field, at }: Given, is: unknown): boolean {
    const isOfRecords = field.field.kind === 'many' || field.field.kind === 'objects';
    if (!isOfRecords || this.#record.isExact) return false;
    if (Array.isArray(is) && is.length > 0)
      this.#comparing.mistakes.add(at, `${field.name} would lose all its entries, which needs $exact: true`);
    return true;
  }

  #refuseFixed({ field, at }: Given, is: unknown, will: unknown): void {
    const [old, next] = [is, will].map((value) => JSON.stringify(this.#shown(field, value)));
    this.#comparing.mistakes.add(at, `${field.name} is set at creation: ${old} can't become ${next}`);
  }

  #take(field: ManifestField, sent: string, is: unknown, will: unknown): void {
    this.body[sent] = will;
    this.fields[field.name] = { old: this.#shown(field, is), new: this.#shown(field, will) };
  }

  #shown(field: ManifestField, value: unknown): unknown {
    return shownValue(field.field, value, field.name, this.#showing);
  }

  #compareLinks(given: Given, value: unknown, { set, remove }: NonNullable<ManifestField['link']>): void {
    const { field, at } = given;
    const asBody = plainBodyField(field.name, field.field);
    const held = this.#row ? bodyFrom({ body: [asBody] }, this.#row).body[field.name] : [];
    if (value === null && this.#keepsMembers(given, held)) return;
    const before = new Map(
      (Array.isArray(held) ? held : []).filter(isRow).map((link) => [itemKey(link), link]),
    );
    for (const link of Array.isArray(value) ? value.filter(isRow) : []) {
      const current = before.get(itemKey(link));
      before.delete(itemKey(link));
      const { id, ...linkValues } = link;
      const changed = current ? differenceOf(set.body, linkValues, current).body : linkValues;
      if (current && Object.keys(changed).length === 0) continue;
      const { id: _, ...rest } = current ?? {};
      const body = { ...rest, ...linkValues };
      if (!current && !this.#comparing.isCompared) this.#refuseIncomplete(set, body, at);
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
      const show = (one: unknown) => (field ? shownValue(field, one, name, this.#showing) : (one ?? null));
      return [name, { old: show(before[name]), new: show(value) }];
    });
    return Object.fromEntries(entries);
  }

  #refuseIncomplete({ body: fields }: Operation, body: Row, at: Given['at']): void {
    const missing = fields.filter(({ name, isRequired }) => isRequired && (body[name] ?? null) === null);
    for (const { name } of missing) this.#comparing.mistakes.add(at, `a new link needs ${name}`);
  }

  #link(
    action: LinkWork['change']['action'],
    { name, field }: ManifestField,
    linking: Operation,
    other: string | RowReference,
    body: Row | undefined,
    fields: Record<string, FieldChange>,
  ): void {
    const key = this.#comparing.called(field.traits.target ?? '', other);
    this.links.push({ change: { action, link: name, key, fields }, operation: linking, other, body });
  }
}

/** Replaces references to other rows by a placeholder id. */
function withPlaceholders(value: unknown): unknown {
  if (isScalar(value)) return value;
  if (Array.isArray(value)) return value.map(withPlaceholders);
  if (isRowReference(value)) return placeholder;
  return Object.fromEntries(
    Object.entries(value as Row).map(([name, inner]) => [name, withPlaceholders(inner)]),
  );
}
