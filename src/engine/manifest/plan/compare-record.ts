/**
 * Compares a declared record with the current one, field by field and link by link, and returns the requests and
 * the changes.
 */

import { differenceOf, type FieldChange } from '../../../account/session/diff/fields.ts';
import { itemKey, type ListMerge, mergeLists } from '../../../account/session/diff/lists.ts';
import { isSameValue } from '../../../account/session/diff/values.ts';
import { isDeleted } from '../../../account/session/list.ts';
import { bodyFrom } from '../../../account/session/record-body.ts';
import { isRow, type Row } from '../../../account/session/row.ts';
import { type Operation, plainBodyField, requireOperation } from '../../../api/contract/operation.ts';
import { isScalar } from '../../../base/number-text.ts';
import { isRowReference, type RowReference } from '../../runs/ledger/row.ts';
import { type Declared, type DeclaredValue, formatRecordKey, isSpellingOfKey } from '../declared/declared.ts';
import type { ManifestField } from '../declared/fields.ts';
import { placeholder, replaceRefs, withPlaceholders } from '../declared/ref.ts';
import type { Mistakes } from '../source/mistakes.ts';
import type { Change, LinkRequest } from './change.ts';
import { type DisplayContext, toDisplayValue } from './names.ts';
import type { Resolution } from './resolve.ts';

/** The resolved records and the functions that the comparison of a record uses. */
export interface ComparisonContext {
  resolution: Resolution;
  mistakes: Mistakes;
  /** Whether the plan is only a comparison; see `PlanOptions`. */
  isCompared: boolean;
  /** Called for fields that the service doesn't return. They can't be compared. */
  onNotReturned(record: Declared, field: ManifestField): void;
  rowName(record: Declared): string;
  labelOf(target: string, id: unknown): string;
  /** Returns the problems of the body of a new record; undefined if nothing will be sent. */
  creationProblems: ((create: Operation, body: Row) => string[]) | undefined;
}

/** Returns the change of a record; undefined if nothing has to be sent. */
export function compareRecord(record: Declared, context: ComparisonContext): Change | undefined {
  const { resource } = record;
  const row = context.resolution.rows.get(record);
  const comparison = new RecordComparison(record, context, row);
  const fields =
    row && isDeleted(row)
      ? { deleted_at: { old: row.deleted_at, new: null }, ...comparison.fields }
      : comparison.fields;
  if (row && Object.keys(fields).length === 0 && comparison.links.length === 0) return undefined;
  const setLinks = comparison.links.filter(({ change }) => change.action !== 'delete');
  const base = {
    resource,
    key: formatRecordKey(record),
    title: titleOf(record, row),
    id: typeof row?.id === 'string' ? row.id : undefined,
    fields,
    links: comparison.links.map(({ change }) => change),
    ...expandedVariables(record, [...Object.keys(fields), ...setLinks.map(({ change }) => change.link)]),
  };
  if (!row && !context.isCompared) comparison.checkCreation();
  const { body: values, links } = comparison;
  const requests = { name: context.rowName(record), current: row, values, links };
  return { action: row ? 'update' : 'create', ...base, requests };
}

function expandedVariables({ values }: Declared, changedNames: readonly string[]): Pick<Change, 'expanded'> {
  const entries = [...new Set(changedNames)].flatMap((name) => {
    const { expanded } = values.get(name) ?? {};
    return expanded ? [[name, expanded] as const] : [];
  });
  return entries.length > 0 ? { expanded: Object.fromEntries(entries) } : {};
}

function titleOf(record: Declared, row: Row | undefined): string | undefined {
  const { values } = record;
  const { title = '' } = record.resource;
  const text = values.get(title)?.value ?? row?.[title];
  return typeof text === 'string' && text !== '' && text !== formatRecordKey(record) ? text : undefined;
}

class RecordComparison {
  readonly body: Row = {};
  readonly fields: Record<string, FieldChange> = {};
  readonly links: LinkRequest[] = [];
  readonly #record: Declared;
  readonly #context: ComparisonContext;
  readonly #row: Row | undefined;
  readonly #display: DisplayContext;

  constructor(record: Declared, context: ComparisonContext, row: Row | undefined) {
    this.#record = record;
    this.#context = context;
    this.#row = row;
    this.#display = { resource: record.resource, labelOf: context.labelOf };
    for (const declared of record.values.values()) {
      const value = this.#resolveRefs(declared.value);
      if (declared.field.link) this.#compareLinks(declared, value, declared.field.link);
      else this.#compareField(declared, value);
    }
  }

  /** Adds the mistakes of a record that can't be created. */
  checkCreation(): void {
    const { resource, location } = this.#record;
    const { creationProblems, mistakes } = this.#context;
    const creation = requireOperation(resource, 'create');
    const body = Object.fromEntries(
      creation.body.flatMap(({ name }) => (Object.hasOwn(this.body, name) ? [[name, this.body[name]]] : [])),
    );
    for (const problem of creationProblems?.(creation, withPlaceholders(withRowPlaceholders(body)) as Row) ??
      [])
      mistakes.add(location, `is new, and ${problem}`);
  }

  #resolveRefs(value: unknown): unknown {
    const { resolution, rowName } = this.#context;
    return replaceRefs(value, (ref) => {
      const target = resolution.target(ref);
      return target?.record ? { $row: rowName(target.record) } : (target?.id ?? placeholder);
    });
  }

  #compareField(declared: DeclaredValue, value: unknown): void {
    const { field } = declared;
    const { secret, writeOnly } = field.field.traits;
    const requestName = field.requestName ?? field.name;
    if (!this.#row) {
      // A cleared field is the same as a missing one in a new record.
      if (value === null) return;
      this.#addChange(field, requestName, null, value);
      return;
    }
    // A field that responses never contain is sent only with new records.
    if (secret || writeOnly) {
      this.#context.onNotReturned(this.#record, field);
      return;
    }
    const entry = field.update ?? field.create;
    const returned = bodyFrom({ body: entry ? [entry] : [] }, this.#row);
    if (returned.unknown.includes(requestName)) {
      this.#context.onNotReturned(this.#record, field);
      return;
    }
    const current = returned.body[requestName] ?? null;
    if (value === null && this.#keepsMembers(declared, current)) return;
    const desired = mergeLists(field.field, current, value, this.#mergeOf(field));
    if (isSameValue(field.field, current, desired) || this.#isSameKey(field, current, desired)) return;
    if (field.update || this.#context.isCompared) this.#addChange(field, requestName, current, desired);
    else this.#refuseImmutable(declared, current, desired);
  }

  /**
   * Returns whether both values are the key that matched the row, in different spelling. Only a rename changes it.
   */
  #isSameKey({ name }: ManifestField, current: unknown, desired: unknown): boolean {
    return isSpellingOfKey(this.#record, name, current, desired);
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
  #keepsMembers({ field, location }: DeclaredValue, current: unknown): boolean {
    const isOfRecords = field.field.kind === 'many' || field.field.kind === 'objects';
    if (!isOfRecords || this.#record.isExact) return false;
    if (Array.isArray(current) && current.length > 0)
      this.#context.mistakes.add(
        location,
        `${field.name} would lose all its entries: to allow this, set $exact: true`,
      );
    return true;
  }

  #refuseImmutable({ field, location }: DeclaredValue, current: unknown, desired: unknown): void {
    const [old, desiredText] = [current, desired].map((value) =>
      JSON.stringify(this.#toDisplayValue(field, value)),
    );
    this.#context.mistakes.add(
      location,
      `${field.name} can't be changed after creation (from ${old} to ${desiredText})`,
    );
  }

  #addChange(field: ManifestField, requestName: string, current: unknown, desired: unknown): void {
    this.body[requestName] = desired;
    this.fields[field.name] = {
      old: this.#toDisplayValue(field, current),
      new: this.#toDisplayValue(field, desired),
    };
  }

  #toDisplayValue(field: ManifestField, value: unknown): unknown {
    return toDisplayValue(field.field, value, field.name, this.#display);
  }

  #compareLinks(
    declared: DeclaredValue,
    value: unknown,
    { set, remove }: NonNullable<ManifestField['link']>,
  ): void {
    const { field, location } = declared;
    const listField = plainBodyField(field.name, field.field);
    const currentLinks = this.#row ? bodyFrom({ body: [listField] }, this.#row).body[field.name] : [];
    if (value === null && this.#keepsMembers(declared, currentLinks)) return;
    const remainingLinks = new Map(
      (Array.isArray(currentLinks) ? currentLinks : []).filter(isRow).map((link) => [itemKey(link), link]),
    );
    for (const [index, link] of (Array.isArray(value) ? value.filter(isRow) : []).entries()) {
      const current = remainingLinks.get(itemKey(link));
      remainingLinks.delete(itemKey(link));
      const { id, ...linkValues } = link;
      const changed = current ? differenceOf(set.body, linkValues, current).body : linkValues;
      if (current && Object.keys(changed).length === 0) continue;
      const { id: _, ...currentValues } = current ?? {};
      const body = { ...currentValues, ...linkValues };
      for (const { name, isRequired } of current || this.#context.isCompared ? [] : set.body) {
        if (isRequired && (body[name] ?? null) === null)
          this.#context.mistakes.add(location, `${field.name}.${index}.${name} is required for a new link`);
      }
      this.#addLink(
        current ? 'update' : 'create',
        field,
        set,
        id as string | RowReference,
        body,
        this.#pivotChanges(set, currentValues, changed),
      );
    }
    for (const link of this.#record.isExact ? remainingLinks.values() : []) {
      const { id, ...linkValues } = link;
      const removed = Object.fromEntries(
        Object.entries(linkValues).map(([name, old]) => [name, { old, new: null }]),
      );
      this.#addLink('delete', field, remove, String(id), undefined, removed);
    }
  }

  #pivotChanges(set: Operation, before: Row, after: Row): Record<string, FieldChange> {
    const entries = Object.entries(after).map(([name, value]) => {
      const field = set.body.find((entry) => entry.name === name)?.field;
      const toDisplay = (linkValue: unknown) =>
        field ? toDisplayValue(field, linkValue, name, this.#display) : (linkValue ?? null);
      return [name, { old: toDisplay(before[name]), new: toDisplay(value) }];
    });
    return Object.fromEntries(entries);
  }

  #addLink(
    action: LinkRequest['change']['action'],
    { name, field }: ManifestField,
    operation: Operation,
    linkedId: string | RowReference,
    body: Row | undefined,
    fields: Record<string, FieldChange>,
  ): void {
    const key = this.#context.labelOf(field.traits.target ?? '', linkedId);
    this.links.push({ change: { action, link: name, key, fields }, operation, linkedId, body });
  }
}

/** Replaces references to other rows with a placeholder ID. */
function withRowPlaceholders(value: unknown): unknown {
  if (isScalar(value)) return value;
  if (Array.isArray(value)) return value.map(withRowPlaceholders);
  if (isRowReference(value)) return placeholder;
  return Object.fromEntries(
    Object.entries(value as Row).map(([name, nestedValue]) => [name, withRowPlaceholders(nestedValue)]),
  );
}
