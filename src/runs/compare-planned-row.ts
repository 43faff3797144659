/**
 * Compares the requests of a row that was planned earlier with the current record, to find which requests to send,
 * which are already done, and which to skip.
 */

import { type BodyField, type Operation, operation } from '../contract/operation.ts';
import { capitalize } from '../contract/wording.ts';
import { changeState, isSameLink, linkValues, type MaybeKnown } from '../session/diff/fields.ts';
import { isSameValue } from '../session/diff/values.ts';
import { isDeleted } from '../session/list.ts';
import { bodyFrom, linksIn } from '../session/record-body.ts';
import { isRow, type Row } from '../session/row.ts';
import type { LedgerRow, Step } from './ledger/row.ts';

/** A part of a row that isn't sent: one field, or the whole row. */
export interface SkippedPart {
  field?: string;
  reason: string;
  /** Set if someone has changed the part since it was planned. */
  isChanged?: true;
}

export interface PlannedRowComparison {
  /** The steps that are still to be sent, each with the record as it is now. */
  steps: Step[];
  skipped: SkippedPart[];
}

/** The functions by which the comparison finds operations and IDs. */
export interface ComparisonContext {
  operationOf(step: Step): Operation;
  /** Returns the value with IDs in place of references; undefined while a reference has no ID. */
  resolve(value: unknown): unknown;
  /** The values that earlier rows of the run will set in the record, by the names of request fields. Sent values are added. */
  upcomingValues: Map<string, unknown>;
}

const changedSincePlanned = { reason: 'it was changed since the run was planned', isChanged: true } as const;

/**
 * Compares a row with its record, deleted or not. A value that differs from the old and the new value is left
 * unchanged. A value that the plan or the record doesn't contain can't be compared and is sent.
 */
export function comparePlannedRow(
  row: LedgerRow,
  record: Row | undefined,
  context: ComparisonContext,
): PlannedRowComparison {
  const comparison = new StepComparison(record, context);
  for (const step of row.steps.slice(0, row.step)) comparison.recordDone(step);
  for (const step of row.steps.slice(row.step)) comparison.compare(step);
  return { steps: comparison.steps, skipped: comparison.skipped };
}

/**
 * Returns a sentence such as `Cost, phone left unchanged: it was changed since, by entry 12.`; without fields, the
 * sentence is about the whole record.
 */
export function skippedMessage(fields: readonly string[], reason: string): string {
  const subject = fields.length > 0 ? `${fields.join(', ')} left unchanged` : 'left unchanged';
  return `${capitalize(subject)}: ${reason}.`.replace(/\.\.$/, '.');
}

/** Compares the steps of a row in order. Each step is compared with the record as earlier steps change it. */
class StepComparison {
  readonly steps: Step[] = [];
  readonly skipped: SkippedPart[] = [];
  readonly #record: Row | undefined;
  readonly #context: ComparisonContext;
  #exists: boolean;
  /**
   * The values that earlier steps set, by the names of request fields: in the planned record, and in the current
   * record.
   */
  readonly #plannedValues: Map<string, unknown>;
  readonly #sentValues: Map<string, unknown>;

  constructor(record: Row | undefined, context: ComparisonContext) {
    this.#record = record;
    this.#context = context;
    this.#plannedValues = new Map(context.upcomingValues);
    this.#sentValues = context.upcomingValues;
    this.#exists = record !== undefined && !isDeleted(record);
  }

  /** Records a step that is done. The fields of a link aren't fields of the record, even if the names are the same. */
  recordDone(step: Step): void {
    if (this.#context.operationOf(step).effect !== 'update') return;
    for (const [name, value] of Object.entries(step.body ?? {})) this.#plannedValues.set(name, value);
  }

  compare(step: Step): void {
    if (step.known === undefined) {
      this.#keepStep(step);
      return;
    }
    const write = this.#context.operationOf(step);
    switch (write.effect) {
      case 'restore':
        if (!this.#exists) this.#keepStep(step);
        this.#exists = true;
        return;
      case 'delete':
        this.#compareDeletion(step, write);
        return;
      case 'update':
        this.#compareUpdate(step, write);
        return;
      case 'link':
      case 'unlink':
        this.#compareLink(step, write);
        return;
      default:
        this.#keepStep(step);
    }
  }

  #compareDeletion(step: Step, { resource }: Operation): void {
    if (!this.#exists) return;
    const fields = operation(resource, 'update')?.body ?? [];
    const changedFields = fields.filter((entry) => this.#compareField(entry, step) === 'changed');
    for (const { responseName } of changedFields)
      this.skipped.push({ field: responseName, ...changedSincePlanned });
    if (changedFields.length > 0) return;
    this.#exists = false;
    this.#keepStep(step);
  }

  #compareUpdate(step: Step, { body: fields }: Operation): void {
    if (!this.#exists) {
      this.#skipDeleted();
      return;
    }
    const body: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(step.body ?? {})) {
      const entry = fields.find((field) => field.name === name);
      const state = entry ? this.#compareField(entry, step, value) : 'due';
      if (state === 'done') continue;
      if (state === 'due') body[name] = value;
      else this.skipped.push({ field: entry?.responseName ?? name, ...changedSincePlanned });
      this.#plannedValues.set(name, value);
    }
    for (const [name, value] of Object.entries(body)) this.#sentValues.set(name, value);
    if (Object.keys(body).length > 0) this.#keepStep({ ...step, body });
  }

  /** Compares a field with its value in the plan. `value` is the new value. */
  #compareField(entry: BodyField, { known = {} }: Step, value?: unknown): ReturnType<typeof changeState> {
    const { name, field } = entry;
    const resolvedValue =
      field.traits.secret || value === undefined ? undefined : this.#context.resolve(value);
    const desired = resolvedValue === undefined ? undefined : { value: resolvedValue };
    const before = this.#plannedValues.has(name)
      ? { value: this.#plannedValues.get(name) }
      : fieldValueIn(known, entry);
    return changeState({ current: this.#currentValue(entry), before, desired }, (a, b) =>
      isSameValue(field, a, b),
    );
  }

  #currentValue(entry: BodyField): MaybeKnown {
    if (this.#sentValues.has(entry.name)) return { value: this.#sentValues.get(entry.name) };
    return this.#record && fieldValueIn(this.#record, entry);
  }

  #compareLink(step: Step, { effect, link, body: fields, inverse }: Operation): void {
    if (!this.#exists) {
      this.#skipDeleted();
      return;
    }
    const [, linkedId] = step.ids;
    const field = link?.field ?? '';
    const linkFields = { body: effect === 'link' ? fields : (inverse?.body ?? []) };
    const [current, before] = [this.#record, step.known].map(
      (record): MaybeKnown<Row | undefined> =>
        linksIn(record, field) && { value: linkValues(record, field, String(linkedId), linkFields) },
    );
    const resolvedBody = this.#context.resolve(step.body ?? {});
    const body = isRow(resolvedBody) ? resolvedBody : undefined;
    const desired = effect === 'unlink' ? { value: undefined } : body && { value: body };
    const state = changeState({ current, before, desired }, (a, b) => isSameLink(linkFields, a, b));
    if (state === 'due') this.#keepStep(step);
    if (state === 'changed') this.skipped.push({ field, ...changedSincePlanned });
  }

  #skipDeleted(): void {
    if (this.skipped.some(({ field }) => field === undefined)) return;
    this.skipped.push({ reason: this.#record ? 'it is deleted' : 'it no longer exists' });
  }

  /** Keeps a step. Its known record gets the current values of the same fields, for the history. */
  #keepStep(step: Step): void {
    const { known } = step;
    const record = this.#record;
    const names = known && record && Object.keys(known).filter((name) => Object.hasOwn(record, name));
    this.steps.push(
      names ? { ...step, known: Object.fromEntries(names.map((name) => [name, record[name]])) } : step,
    );
  }
}

/** Returns the value of a field in a record; undefined if the record doesn't contain the field. */
function fieldValueIn(record: Row, entry: BodyField): MaybeKnown {
  const { name, responseName, field } = entry;
  const isUnknown = field.isHidden || field.traits.ignored;
  if (isUnknown || !(Object.hasOwn(record, responseName) || Object.hasOwn(record, name))) return undefined;
  return { value: bodyFrom({ body: [entry] }, record).body[name] ?? null };
}
