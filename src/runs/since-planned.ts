/**
 * Compares the requests of a row that was planned some time ago with its record now: which are sent, which are already
 * done, and which are left out.
 */

import { type BodyField, type Operation, operation } from '../contract/operation.ts';
import { capitalized } from '../contract/wording.ts';
import { changeState, isSameLink, type Known, linkValues } from '../session/diff/fields.ts';
import { isSame } from '../session/diff/values.ts';
import { isDeleted } from '../session/list.ts';
import { bodyFrom, linksIn } from '../session/record-body.ts';
import { isRow, type Row } from '../session/row.ts';
import type { LedgerRow, Step } from './ledger/row.ts';

/** A part of a row that isn't sent: one field, or the whole row. */
export interface SkippedPart {
  field?: string;
  why: string;
  /** Set if someone has changed it since the plan was made. */
  isChanged?: true;
}

/** The result of the comparison of one row. */
export interface SincePlanned {
  /** The steps that are still to be sent, each with the record as it is now. */
  steps: Step[];
  left: SkippedPart[];
}

/** How the comparison finds operations and ids. */
export interface ComparisonContext {
  operationOf(step: Step): Operation;
  /** Returns the value with ids in place of references; undefined while a reference has no id. */
  resolved(value: unknown): unknown;
}

const changed = { why: 'it was changed since the run was planned', isChanged: true } as const;

/**
 * Compares a row with its record, deleted or not. A value that is neither the old nor the new one is left unchanged. A
 * value that the plan didn't contain, or that isn't shown now, can't be compared and is sent.
 */
export function sincePlanned(
  row: LedgerRow,
  record: Row | undefined,
  looking: ComparisonContext,
): SincePlanned {
  const comparison = new StepComparison(record, looking);
  for (const step of row.steps.slice(0, row.step)) comparison.recordDone(step);
  for (const step of row.steps.slice(row.step)) comparison.compare(step);
  return { steps: comparison.steps, left: comparison.left };
}

/**
 * Returns a sentence such as `Cost, phone left unchanged: it was changed since, by entry 12.`; without fields it is
 * about the whole record.
 */
export function skippedMessage(fields: readonly string[], why: string): string {
  const what = fields.length > 0 ? `${fields.join(', ')} left unchanged` : 'left unchanged';
  return `${capitalized(what)}: ${why}.`.replace(/\.\.$/, '.');
}

/** Compares the steps of a row in their order: each step starts from the record that the steps before it leave. */
class StepComparison {
  readonly steps: Step[] = [];
  readonly left: SkippedPart[] = [];
  readonly #record: Row | undefined;
  readonly #looking: ComparisonContext;
  #isThere: boolean;
  /**
   * The values that earlier steps have set, by the names of request fields: in the planned record, and in the current
   * one.
   */
  readonly #planned = new Map<string, unknown>();
  readonly #made = new Map<string, unknown>();

  constructor(record: Row | undefined, looking: ComparisonContext) {
    this.#record = record;
    this.#looking = looking;
    this.#isThere = record !== undefined && !isDeleted(record);
  }

  /** Records a step that is done. The fields of a link aren't fields of the record, even if the names are the same. */
  recordDone(step: Step): void {
    if (this.#looking.operationOf(step).effect !== 'update') return;
    for (const [name, value] of Object.entries(step.body ?? {})) this.#planned.set(name, value);
  }

  compare(step: Step): void {
    if (step.known === undefined) {
      this.#keep(step);
      return;
    }
    const write = this.#looking.operationOf(step);
    switch (write.effect) {
      case 'restore':
        if (!this.#isThere) this.#keep(step);
        this.#isThere = true;
        return;
      case 'delete':
        this.#takeDeletion(step, write);
        return;
      case 'update':
        this.#takeUpdate(step, write);
        return;
      case 'link':
      case 'unlink':
        this.#takeLink(step, write);
        return;
      default:
        this.#keep(step);
    }
  }

  #takeDeletion(step: Step, { resource }: Operation): void {
    if (!this.#isThere) return;
    const fields = operation(resource, 'update')?.body ?? [];
    const others = fields.filter((entry) => this.#since(entry, step) === 'changed');
    for (const { responseName } of others) this.left.push({ field: responseName, ...changed });
    if (others.length > 0) return;
    this.#isThere = false;
    this.#keep(step);
  }

  #takeUpdate(step: Step, { body: fields }: Operation): void {
    if (!this.#isThere) {
      this.#skipDeleted();
      return;
    }
    const body: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(step.body ?? {})) {
      const entry = fields.find((each) => each.name === name);
      const since = entry ? this.#since(entry, step, value) : 'due';
      if (since === 'done') continue;
      if (since === 'due') body[name] = value;
      else this.left.push({ field: entry?.responseName ?? name, ...changed });
      this.#planned.set(name, value);
    }
    for (const [name, value] of Object.entries(body)) this.#made.set(name, value);
    if (Object.keys(body).length > 0) this.#keep({ ...step, body });
  }

  /** Compares a field with what the plan found. `value` is what a step sets it to. */
  #since(entry: BodyField, { known = {} }: Step, value?: unknown): ReturnType<typeof changeState> {
    const { name, field } = entry;
    const given = field.traits.secret || value === undefined ? undefined : this.#looking.resolved(value);
    const wanted = given === undefined ? undefined : { value: given };
    const before = this.#planned.has(name) ? { value: this.#planned.get(name) } : shownIn(known, entry);
    return changeState({ now: this.#now(entry), before, wanted }, (one, other) => isSame(field, one, other));
  }

  #now(entry: BodyField): Known {
    if (this.#made.has(entry.name)) return { value: this.#made.get(entry.name) };
    return this.#record && shownIn(this.#record, entry);
  }

  #takeLink(step: Step, { effect, link, body: fields, inverse }: Operation): void {
    if (!this.#isThere) {
      this.#skipDeleted();
      return;
    }
    const [, other] = step.ids;
    const field = link?.field ?? '';
    const own = { body: effect === 'link' ? fields : (inverse?.body ?? []) };
    const [now, before] = [this.#record, step.known].map(
      (record): Known<Row | undefined> =>
        linksIn(record, field) && { value: linkValues(record, field, String(other), own) },
    );
    const given = this.#looking.resolved(step.body ?? {});
    const held = isRow(given) ? given : undefined;
    const wanted = effect === 'unlink' ? { value: undefined } : held && { value: held };
    const since = changeState({ now, before, wanted }, (one, will) => isSameLink(own, one, will));
    if (since === 'due') this.#keep(step);
    if (since === 'changed') this.left.push({ field, ...changed });
  }

  #skipDeleted(): void {
    if (this.left.some(({ field }) => field === undefined)) return;
    this.left.push({ why: this.#record ? 'it is deleted' : 'it no longer exists' });
  }

  /** Keeps a step. Its record has the fields that the plan had, with their current values, for the history. */
  #keep(step: Step): void {
    const { known } = step;
    const record = this.#record;
    const names = known && record && Object.keys(known).filter((name) => Object.hasOwn(record, name));
    this.steps.push(
      names ? { ...step, known: Object.fromEntries(names.map((name) => [name, record[name]])) } : step,
    );
  }
}

/** Returns the value that a record shows for a field; undefined if it doesn't show the field. */
function shownIn(record: Row, entry: BodyField): Known {
  const { name, responseName, field } = entry;
  const isUnknown = field.isHidden || field.traits.ignored;
  if (isUnknown || !(Object.hasOwn(record, responseName) || Object.hasOwn(record, name))) return undefined;
  return { value: bodyFrom({ body: [entry] }, record).body[name] ?? null };
}
