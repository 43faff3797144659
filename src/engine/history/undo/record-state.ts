/** Tracks the current state of a record and its state after an undo, and builds the requests for the difference. */

import { type Changes, linkValues } from '../../../account/session/diff/fields.ts';
import { isSameValue, isSameWithoutIds } from '../../../account/session/diff/values.ts';
import { recordKey } from '../../../account/session/find-by-key.ts';
import { isDeleted } from '../../../account/session/list.ts';
import { bodyFrom, linksIn, toResponseLink } from '../../../account/session/record-body.ts';
import { isRow, type Row } from '../../../account/session/row.ts';
import { type BodyField, type Operation, operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { type DesiredLink, decide } from '../../runs/decide.ts';
import type { Step } from '../../runs/ledger/row.ts';

/** The intended value of a field. */
interface TargetValue {
  entry: BodyField;
  value: unknown;
}

/** The intended content of a link. */
type TargetLink = DesiredLink & { linkedId: string };

/** An undo restores what was, whatever the service accepts today. */
const undoPolicy = {
  onDeleted: 'restore',
  fixedFields: 'ignore',
  acceptsDamage: true,
  skipsValidation: true,
} as const;

/**
 * The records of one undo by `recordKey`: the deleted records, the deleted records that the undo restores, and all
 * records.
 */
export interface UndoRecords {
  deleted: ReadonlySet<string>;
  restored: ReadonlySet<string>;
  all: ReadonlySet<string>;
}

/** One record during the planning of an undo. */
export class RecordState {
  readonly resource: Resource;
  readonly id: string;
  /**
   * Undefined if the record doesn't exist, even as a deleted record. Includes hidden relations that `isUnchangedSince`
   * has found.
   */
  record: Row | undefined;
  readonly update: Operation | undefined;
  exists: boolean;
  isDeleted: boolean;
  /** What the undo can't restore exactly, as sentences. */
  readonly notes: string[] = [];
  #isNew = false;
  readonly #undoRecords: UndoRecords;
  readonly #values = new Map<string, TargetValue>();
  readonly #links = new Map<string, TargetLink>();

  constructor(
    resource: Resource,
    id: string,
    record: Row | undefined,
    undoRecords: UndoRecords = { deleted: new Set(), restored: new Set(), all: new Set() },
  ) {
    this.resource = resource;
    this.id = id;
    this.record = record;
    this.update = operation(resource, 'update');
    this.isDeleted = record !== undefined && isDeleted(record);
    this.exists = record !== undefined && !this.isDeleted;
    this.#undoRecords = undoRecords;
  }

  /**
   * Returns the requests: at most one for the fields, one per link, and one to delete or restore the record. Changes
   * that cancel each other need no request.
   */
  get steps(): readonly Step[] {
    const { resource, record } = this;
    if (!record) return [];
    const values = [...this.#values.values()].filter(({ entry, value }) => {
      const current = this.#currentValue(entry);
      return current === undefined || !isSameWithoutIds(entry.field, current.value, value);
    });
    const isDocumented = ({ name }: BodyField) => this.update?.body.some((entry) => entry.name === name);
    const change = {
      values: Object.fromEntries(values.map(({ entry, value }) => [entry.name, value])),
      otherFields: values.map(({ entry }) => entry).filter((entry) => !isDocumented(entry)),
      links: [...this.#links.values()],
    };
    const desired = { resource, ...(this.#isNew ? { values: {} } : change) };
    const decision = decide({ ...desired, state: this.isDeleted ? 'absent' : 'present' }, record, undoPolicy);
    return 'problems' in decision ? [] : (decision.steps ?? []);
  }

  /** Returns the current and the intended value of each field and each link (`items 42 cost`). */
  changes(): Changes {
    return this.changesBy(this.steps);
  }

  changesBy(steps: readonly Step[]): Changes {
    const changes: Changes = {};
    for (const { verb, body = {}, ids } of steps) {
      const write = operation(this.resource, verb);
      if (write?.effect === 'delete' || write?.effect === 'restore')
        changes.deleted_at = [this.record?.deleted_at ?? null, write.effect === 'restore' ? null : 'now'];
      if (write?.link) {
        Object.assign(changes, this.#linkChanges(write, String(ids[1]), body));
        continue;
      }
      for (const [name, value] of Object.entries(body)) {
        const entry =
          write?.body.find((candidate) => candidate.name === name) ?? this.#values.get(name)?.entry;
        changes[entry?.responseName ?? name] = [entry ? this.#currentValue(entry)?.value : undefined, value];
      }
    }
    return changes;
  }

  #linkChanges(write: Operation, linkedId: string, body: Row): Changes {
    const { field = '' } = write.link ?? {};
    const label = `${field} ${linkedId}`;
    if (write.effect === 'unlink') return { [label]: ['linked', null] };
    const current = linkValues(this.record, field, linkedId, write);
    if (!current) return { [label]: [null, 'linked'] };
    const differing = write.body.filter(
      (entry) => !isSameValue(entry.field, current[entry.name] ?? null, body[entry.name] ?? null),
    );
    return Object.fromEntries(
      differing.map(({ name }) => [`${label} ${name}`, [current[name] ?? null, body[name] ?? null]]),
    );
  }

  /** Returns the intended or current value; undefined if the value isn't visible. */
  valueOf(entry: BodyField): { value: unknown } | undefined {
    const knownValue = this.#values.get(entry.name) ?? this.#currentValue(entry);
    return knownValue && { value: this.#withLinks(entry.responseName, knownValue.value) };
  }

  /** Applies undone writes to single links to a list of links. */
  #withLinks(field: string, value: unknown): unknown {
    const fieldLinks = [...this.#links.values()].filter(({ operation: set }) => set.link?.field === field);
    if (fieldLinks.length === 0 || !Array.isArray(value)) return value;
    const linkedIds = new Set(fieldLinks.map(({ linkedId }) => linkedId));
    return [
      ...value.filter((link) => !isRow(link) || !linkedIds.has(String(link.id))),
      ...fieldLinks.flatMap(({ linkedId, values }) => (values ? [{ id: linkedId, ...values }] : [])),
    ];
  }

  /** Returns the fields whose values differ from these; invisible fields are ignored. */
  differing({ body }: Operation, values: Row): BodyField[] {
    return body.filter((entry) => {
      const current = this.valueOf(entry);
      return (
        Object.hasOwn(values, entry.name) &&
        current !== undefined &&
        !isSameValue(entry.field, current.value, values[entry.name]) &&
        !this.isUnchangedSince(entry, values[entry.name])
      );
    });
  }

  /**
   * Returns whether a field still has the value after a write, apart from the effects of other writes of the same undo:
   * relations to deleted records, which responses don't show, and relations that other records store. A relation that
   * becomes visible after a restore is added to the record.
   */
  isUnchangedSince(entry: BodyField, expected: unknown): boolean {
    const current = this.valueOf(entry);
    const { target, inverseOf } = entry.field.traits;
    if (!current || target === undefined || this.#values.has(entry.name)) return false;
    if (isSameWithoutIds(entry.field, current.value, expected)) return true;
    const { deleted, restored, all } = this.#undoRecords;
    const without = (value: unknown, records: ReadonlySet<string>) => {
      const isReference = (item: unknown) => isIn(records, target, isRow(item) ? item.id : item);
      if (Array.isArray(value)) return value.filter((item) => !isReference(item));
      return isReference(value) ? null : value;
    };
    const ignoredRecords = inverseOf === undefined ? deleted : all;
    if (
      !isSameWithoutIds(
        entry.field,
        without(current.value, ignoredRecords),
        without(expected, ignoredRecords),
      )
    )
      return false;
    const unrestored = new Set([...deleted].filter((key) => !restored.has(key)));
    this.record = { ...this.record, [entry.responseName]: toResponseFormat(without(expected, unrestored)) };
    return true;
  }

  set(entry: BodyField, value: unknown): void {
    this.#values.set(entry.name, { entry, value });
  }

  /**
   * Deletes the record. The content of a new record is ignored; a record that was deleted before keeps the content that
   * it had.
   */
  remove({ isNew }: { isNew: boolean }): void {
    [this.exists, this.isDeleted, this.#isNew] = [false, true, isNew];
  }

  restore(): void {
    [this.exists, this.isDeleted] = [true, false];
  }

  canSee(field: string): boolean {
    return Array.isArray(this.record?.[field]);
  }

  linkOf(field: string, linkedId: string, set: Operation): Row | undefined {
    const newLink = this.#links.get(linkKey(field, linkedId));
    if (newLink) return newLink.values;
    return linkValues(this.record, field, linkedId, set);
  }

  /**
   * Adds the link that `expected` describes to the record, if the undo restores the linked record: the service hides the
   * link until then.
   */
  keepCurrentLink(set: Operation, linkedId: string, expected: Row | undefined): void {
    const field = set.link?.field ?? '';
    const isHidden = expected && isIn(this.#undoRecords.restored, set.params[1]?.target, linkedId);
    if (!isHidden || this.linkOf(field, linkedId, set)) return;
    const links = [...(linksIn(this.record, field) ?? []), { id: linkedId, pivot: expected }];
    this.record = { ...this.record, [field]: links };
  }

  setLink(targetLink: TargetLink): void {
    this.#links.set(linkKey(targetLink.operation.link?.field ?? '', targetLink.linkedId), targetLink);
  }

  #currentValue(entry: BodyField): { value: unknown } | undefined {
    if (!this.record) return undefined;
    const { body, unknown } = bodyFrom({ body: [entry] }, this.record);
    if (Object.hasOwn(body, entry.name)) return { value: body[entry.name] };
    return unknown.includes(entry.name) ? undefined : { value: null };
  }
}

/** Converts relations to the shape of responses, where the content of a link is in `pivot`. */
function toResponseFormat(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((link) => (isRow(link) ? toResponseLink(link) : link));
  return typeof value === 'string' ? { id: value } : value;
}

function isIn(records: ReadonlySet<string>, target: string | undefined, id: unknown): boolean {
  return target !== undefined && records.has(recordKey({ name: target }, String(id)));
}

function linkKey(field: string, linkedId: string): string {
  return JSON.stringify([field, linkedId]);
}
