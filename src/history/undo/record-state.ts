/** A record as it is, and as it would be once writes were taken back; with the requests that lead there. */
import type { Step } from '../../bulk/ledger/row.ts';
import { type BodyField, type Operation, operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { isDeleted } from '../../session/list.ts';
import { bodyFrom } from '../../session/record-body.ts';
import { isRow, type Row } from '../../session/row.ts';
import { isSame } from '../../session/same-value.ts';

export class RecordState {
  readonly resource: Resource;
  readonly id: string;
  /** Undefined where nothing is there, not even a deleted one. */
  readonly record: Row | undefined;
  readonly update: Operation | undefined;
  isThere: boolean;
  isDeleted: boolean;
  readonly #values = new Map<string, unknown>();
  readonly #links = new Map<string, Row | undefined>();
  #steps: Step[] = [];

  constructor(resource: Resource, id: string, record: Row | undefined) {
    this.resource = resource;
    this.id = id;
    this.record = record;
    this.update = operation(resource, 'update');
    this.isDeleted = record !== undefined && isDeleted(record);
    this.isThere = record !== undefined && !this.isDeleted;
  }

  /** What leads there, in its order: changes of fields that follow each other are one request. */
  get steps(): readonly Step[] {
    return this.#steps;
  }

  /** Field by field: what it is and what it would be. */
  changes(): Record<string, readonly [unknown, unknown]> {
    const changes: Record<string, readonly [unknown, unknown]> = {};
    for (const { verb, body = {}, ids } of this.#steps) {
      const done = operation(this.resource, verb);
      if (done?.effect === 'delete' || done?.effect === 'restore')
        changes.deleted_at = [this.record?.deleted_at ?? null, done.effect === 'restore' ? null : 'now'];
      if (done?.link)
        changes[done.link.field] = [
          done.effect === 'link' ? null : ids[1],
          done.effect === 'link' ? ids[1] : null,
        ];
      for (const [name, value] of Object.entries(body)) {
        const entry = done?.body.find((candidate) => candidate.name === name);
        if (!done?.link) changes[entry?.shown ?? name] = [entry ? this.#isNow(entry) : undefined, value];
      }
    }
    return changes;
  }

  valueOf(entry: BodyField): { value: unknown } | undefined {
    if (this.#values.has(entry.name)) return { value: this.#values.get(entry.name) };
    if (!this.record) return undefined;
    const { body, unknown } = bodyFrom({ body: [entry] }, this.record);
    if (Object.hasOwn(body, entry.name)) return { value: body[entry.name] };
    return unknown.includes(entry.name) ? undefined : { value: null };
  }

  /** Fields that are something else than these; those that can't be seen aren't told of. */
  differing({ body }: Operation, values: Row): BodyField[] {
    return body.filter((entry) => {
      const now = this.valueOf(entry);
      return (
        Object.hasOwn(values, entry.name) &&
        now !== undefined &&
        !isSame(entry.field, now.value, values[entry.name])
      );
    });
  }

  set(entry: BodyField, value: unknown): void {
    this.#values.set(entry.name, value);
    if (!this.update) return;
    const last = this.#steps.at(-1);
    if (last?.verb === this.update.verb) {
      last.body = { ...last.body, [entry.name]: value };
      return;
    }
    this.#add(this.update, [], { [entry.name]: value });
  }

  /** What was to be changed of it before is of no use any more. */
  remove(remove: Operation): void {
    [this.isThere, this.isDeleted] = [false, true];
    this.#steps = this.#steps.filter(({ verb }) => verb !== this.update?.verb);
    this.#add(remove, []);
  }

  restore(restore: Operation): void {
    [this.isThere, this.isDeleted] = [true, false];
    this.#add(restore, []);
  }

  shows(field: string): boolean {
    return Array.isArray(this.record?.[field]);
  }

  linkOf(field: string, other: string, set: Operation): Row | undefined {
    const key = JSON.stringify([field, other]);
    if (this.#links.has(key)) return this.#links.get(key);
    return this.record && linkIn(this.record, field, other, set);
  }

  setLink(write: Operation, other: string, pivot: Row | undefined): void {
    const field = write.link?.field ?? '';
    this.#links.set(JSON.stringify([field, other]), pivot);
    // The same link twice: only what it is in the end counts.
    this.#steps = this.#steps.filter(({ ids }) => !(ids[1] === other && ids.length === 2));
    this.#add(write, [other], pivot);
  }

  #isNow(entry: BodyField): unknown {
    return this.record && bodyFrom({ body: [entry] }, this.record).body[entry.name];
  }

  #add({ verb, link }: Operation, others: readonly string[], body?: Row): void {
    const known = link && this.record ? { id: this.id, [link.field]: this.record[link.field] } : this.record;
    this.#steps.push({
      resource: this.resource.name,
      verb,
      ids: [this.id, ...others],
      ...(body && { body }),
      ...(known && { known }),
    });
  }
}

/** What a link holds, as a request would set it; undefined where there is none. */
export function linkIn(record: Row, field: string, other: string, set: Operation): Row | undefined {
  const links = record[field];
  const held = Array.isArray(links) ? links.filter(isRow).find(({ id }) => String(id) === other) : undefined;
  if (!held) return undefined;
  return bodyFrom(set, isRow(held.pivot) ? held.pivot : {}).body;
}
