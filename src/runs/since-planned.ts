/** The requests of a row that was planned a while ago, held against its record as it is now: what goes, what is so already, what stays. */

import { type BodyField, type Operation, operation } from '../contract/operation.ts';
import { capitalized } from '../contract/wording.ts';
import { changeSince, heldBy, isSameLink, type Known } from '../session/diff/fields.ts';
import { isSame } from '../session/diff/values.ts';
import { isDeleted } from '../session/list.ts';
import { bodyFrom, linksIn } from '../session/record-body.ts';
import { isRow, type Row } from '../session/row.ts';
import type { LedgerRow, Step } from './ledger/row.ts';

/** A part of a row that isn’t sent: of one field, or of all of it. */
export interface Left {
  field?: string;
  why: string;
  /** Somebody has changed it since the plan was made. */
  isChanged?: true;
}

export interface SincePlanned {
  /** What is still to be sent, each with the record as it is now. */
  steps: Step[];
  left: Left[];
}

export interface Looking {
  operationOf(step: Step): Operation;
  /** With ids in the place of references; undefined while one of them has none. */
  resolved(value: unknown): unknown;
}

const changed = { why: 'it was changed since the run was planned', isChanged: true } as const;

/**
 * `record` is what is there, deleted or not. A value that is neither as the plan found it nor as it is to be stays;
 * what was not known to the plan, or isn’t shown now, can’t be held against anything and is sent.
 */
export function sincePlanned(row: LedgerRow, record: Row | undefined, looking: Looking): SincePlanned {
  const walk = new Walk(record, looking);
  for (const step of row.steps.slice(0, row.step)) walk.pass(step);
  for (const step of row.steps.slice(row.step)) walk.take(step);
  return { steps: walk.steps, left: walk.left };
}

/** `Cost, phone left as it is: it was changed since, by entry 12.`; without fields all of a record. */
export function leftSentence(fields: readonly string[], why: string): string {
  const what = fields.length > 0 ? `${fields.join(', ')} left as it is` : 'left as it is';
  return `${capitalized(what)}: ${why}.`.replace(/\.\.$/, '.');
}

/** A row’s steps follow each other: what one of them makes of the record is what the next one finds. */
class Walk {
  readonly steps: Step[] = [];
  readonly left: Left[] = [];
  readonly #record: Row | undefined;
  readonly #looking: Looking;
  #isThere: boolean;
  /** What steps before have made of fields, by the names of requests: of the plan’s record, and of the one there is. */
  readonly #planned = new Map<string, unknown>();
  readonly #made = new Map<string, unknown>();

  constructor(record: Row | undefined, looking: Looking) {
    this.#record = record;
    this.#looking = looking;
    this.#isThere = record !== undefined && !isDeleted(record);
  }

  /** A step that is done. What a link holds is no field of the record, though it may have the name of one. */
  pass(step: Step): void {
    if (this.#looking.operationOf(step).effect !== 'update') return;
    for (const [name, value] of Object.entries(step.body ?? {})) this.#planned.set(name, value);
  }

  take(step: Step): void {
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
    for (const { shown } of others) this.left.push({ field: shown, ...changed });
    if (others.length > 0) return;
    this.#isThere = false;
    this.#keep(step);
  }

  #takeUpdate(step: Step, { body: fields }: Operation): void {
    if (!this.#isThere) {
      this.#leaveGone();
      return;
    }
    const body: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(step.body ?? {})) {
      const entry = fields.find((each) => each.name === name);
      const since = entry ? this.#since(entry, step, value) : 'due';
      if (since === 'done') continue;
      if (since === 'due') body[name] = value;
      else this.left.push({ field: entry?.shown ?? name, ...changed });
      this.#planned.set(name, value);
    }
    for (const [name, value] of Object.entries(body)) this.#made.set(name, value);
    if (Object.keys(body).length > 0) this.#keep({ ...step, body });
  }

  /** Compares a field with what the plan found; a `value` is what a step gives it. */
  #since(entry: BodyField, { known = {} }: Step, value?: unknown): ReturnType<typeof changeSince> {
    const { name, field } = entry;
    const given = field.traits.secret || value === undefined ? undefined : this.#looking.resolved(value);
    const wanted = given === undefined ? undefined : { value: given };
    const before = this.#planned.has(name) ? { value: this.#planned.get(name) } : shownIn(known, entry);
    return changeSince({ now: this.#now(entry), before, wanted }, (one, other) => isSame(field, one, other));
  }

  #now(entry: BodyField): Known {
    if (this.#made.has(entry.name)) return { value: this.#made.get(entry.name) };
    return this.#record && shownIn(this.#record, entry);
  }

  #takeLink(step: Step, { effect, link, body: fields, inverse }: Operation): void {
    if (!this.#isThere) {
      this.#leaveGone();
      return;
    }
    const [, other] = step.ids;
    const field = link?.field ?? '';
    const own = { body: effect === 'link' ? fields : (inverse?.body ?? []) };
    const [now, before] = [this.#record, step.known].map(
      (record): Known<Row | undefined> =>
        linksIn(record, field) && { value: heldBy(record, field, String(other), own) },
    );
    const given = this.#looking.resolved(step.body ?? {});
    const held = isRow(given) ? given : undefined;
    const wanted = effect === 'unlink' ? { value: undefined } : held && { value: held };
    const since = changeSince({ now, before, wanted }, (one, will) => isSameLink(own, one, will));
    if (since === 'due') this.#keep(step);
    if (since === 'changed') this.left.push({ field, ...changed });
  }

  #leaveGone(): void {
    if (this.left.some(({ field }) => field === undefined)) return;
    this.left.push({ why: this.#record ? 'it is deleted' : 'it isn’t there any more' });
  }

  /** With as much of the record as the plan knew, as it is now: it is what the history keeps. */
  #keep(step: Step): void {
    const { known } = step;
    const record = this.#record;
    const names = known && record && Object.keys(known).filter((name) => Object.hasOwn(record, name));
    this.steps.push(
      names ? { ...step, known: Object.fromEntries(names.map((name) => [name, record[name]])) } : step,
    );
  }
}

/** Undefined where the record doesn’t show it. */
function shownIn(record: Row, entry: BodyField): Known {
  const { name, shown, field } = entry;
  const isUnknown = field.isHidden || field.traits.ignored;
  if (isUnknown || !(Object.hasOwn(record, shown) || Object.hasOwn(record, name))) return undefined;
  return { value: bodyFrom({ body: [entry] }, record).body[name] ?? null };
}
