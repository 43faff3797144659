/** Translates a record of the source for the target: replaces ids by those of the target, or by references to new rows. */
import { usage } from '../base/errors.ts';
import { isStoredByTarget } from '../contract/dependency-order.ts';
import type { Field, Fields } from '../contract/field.ts';
import { keyForm } from '../contract/key-form.ts';
import type { Resource } from '../contract/resource.ts';
import { capitalized } from '../contract/wording.ts';
import type { LedgerRow } from '../runs/ledger/row.ts';
import { type RowReference, rowReference } from '../runs/ledger/row-reference.ts';
import { isRow, type Row } from '../session/row.ts';
import type { Session } from '../session/session.ts';
import { rowName, type Transfer } from './transfer.ts';

/** An id of the target, or a reference to a row that is still to be created. */
export type TargetId = string | RowReference;

/** A translated record. */
export interface Translation {
  record: Row;
  /** Relations to missing records, named as in responses. */
  missing: string[];
}

/** Translates a record; `part` are the wanted fields, named as in responses. */
export function translated(
  transfer: Transfer,
  resource: Resource,
  record: Row,
  part: (name: string) => boolean,
): Translation {
  const missing: string[] = [];
  const example = `${resource.noun} ${String(record.id)}`;
  const fields = Object.fromEntries(Object.entries(resource.fields).filter(([name]) => part(name)));
  const row = translatedFields(
    { transfer, example, onMissing: (name) => missing.push(name), resource },
    fields,
    record,
  );
  return { record: { id: record.id, ...row }, missing };
}

interface Translating {
  transfer: Transfer;
  resource: Resource;
  example: string;
  onMissing(name: string): void;
}

function translatedFields(how: Translating, fields: Fields, row: Row): Row {
  const made: Row = {};
  for (const [name, field] of Object.entries(fields)) {
    if (!Object.hasOwn(row, name) || isStoredByTarget(how.transfer.session.api, field)) continue;
    const value = translatedValue(how, name, field, row[name]);
    if (value !== undefined) made[name] = value;
  }
  return made;
}

function translatedValue(how: Translating, name: string, field: Field, value: unknown): unknown {
  const { target, fields } = field.traits;
  if (field.kind === 'ids' && Array.isArray(value))
    return value.flatMap((id) => itemId(how, name, String(id)) ?? []);
  if (fields && Array.isArray(value)) {
    // Nested items have their own ids, which another account doesn't have.
    const own = (item: Row) => (how.transfer.isSameAccount ? { id: item.id } : {});
    const others = Object.fromEntries(Object.entries(fields).filter(([inner]) => inner !== 'id'));
    return value.filter(isRow).map((item) => ({ ...own(item), ...translatedFields(how, others, item) }));
  }
  if (target === undefined) return value;
  if (Array.isArray(value)) {
    return value.filter(isRow).flatMap((link) => {
      const id = idIn(how, name, field, link);
      return id === undefined ? [] : [{ ...link, id }];
    });
  }
  if (!isRow(value)) return value;
  const id = idIn(how, name, field, value);
  return id === undefined ? undefined : { id };
}

function idIn(how: Translating, name: string, { traits }: Field, related: Row): TargetId | undefined {
  const { transfer, resource, example, onMissing } = how;
  const { findings } = transfer;
  const target = traits.target ?? '';
  const found = targetId(transfer, target, related);
  if (found !== undefined) return found;
  // The record may be missing if the signed-in user can replace it.
  const isOptional = transfer.skipMissing || traits.defaultsToSignedInUser === true;
  if (findings.isHeldBack(target, String(related.id)) || isOptional) findings.leaveOut(resource, name);
  else {
    // A reference to a record that can't be written is reported with that record.
    if (!transfer.ledger.named(rowName(target, String(related.id)))) findings.miss(target, related, example);
    onMissing(name);
  }
  return undefined;
}

/** Returns undefined if the record doesn't exist and won't. */
export function targetId(transfer: Transfer, target: string, related: Row): TargetId | undefined {
  const { ledger, session, isSameAccount } = transfer;
  const id = String(related.id);
  if (!session.api.resource(target)) return transfer.idOfReference(target, related);
  const row = ledger.named(rowName(target, id));
  // A restored record doesn't exist before its own row is done.
  if (row && row.state !== 'bad')
    return row.id === null || isRestored(row) ? rowReference(rowName(target, id)) : row.id;
  return transfer.idOfReference(target, related) ?? (isSameAccount ? id : undefined);
}

function isRestored({ state, steps }: LedgerRow): boolean {
  return state !== 'done' && steps.some(({ verb }) => verb === 'restore');
}

/** Translates an id that may refer to any resource that the record has lists of; unknown ids are left out. */
function itemId({ transfer, resource }: Translating, name: string, id: string): TargetId | undefined {
  const { api } = transfer.session;
  const targets = Object.values(resource.fields).flatMap(({ kind, traits: { target } }) =>
    kind === 'many' && target !== undefined ? [target] : [],
  );
  const ours = targets.find((target) => transfer.ledger.named(rowName(target, id)));
  const among = ours === undefined ? targets.filter((target) => !api.resource(target)) : [ours];
  for (const target of among) {
    const found = targetId(transfer, target, { id });
    if (found !== undefined) return found;
  }
  if (transfer.isSameAccount) return id;
  transfer.findings.leaveOut(resource, name);
  return undefined;
}

/** A mapping for a record that the API can't list, from the command line. */
export interface GivenReference {
  /** The API's name: `branches`. */
  target: string;
  /** The ids or names in the source and the target. */
  theirs: string;
  ours: string;
}

/** Returns ids as given, or by the same id or name if the target is known to have it. */
export async function referenceIds(
  session: Session,
  given: readonly GivenReference[],
  { areSame }: { areSame: boolean },
): Promise<Transfer['idOfReference']> {
  const known = new Map<string, { id: string; name: string }[]>();
  for (const { name } of session.api.references) known.set(name, await session.references(name));
  const named = (target: string, text: string): string | undefined => {
    const among = known.get(target) ?? [];
    if (among.some(({ id }) => id === text)) return text;
    const key = keyForm(undefined, text);
    const [only, ...others] = among.filter(({ name }) => keyForm(undefined, name) === key);
    return others.length === 0 ? only?.id : undefined;
  };
  const ours = given.map((one) => ({ ...one, id: givenId(session, one, named) }));
  return (target: string, related: Row) => {
    const id = String(related.id);
    const name = typeof related.name === 'string' ? related.name : undefined;
    const reference = ours.find((one) => one.target === target && (one.theirs === id || one.theirs === name));
    if (reference) return reference.id;
    if (session.api.resource(target)) return undefined;
    // Files may have only the name of a record.
    if (areSame && id !== name) return id;
    return named(target, id) ?? (name === undefined ? undefined : named(target, name));
  };
}

/** Accepts an unknown id, which may be valid; an unknown name can't be distinguished from one. */
function givenId(
  { api }: Session,
  { target, ours }: GivenReference,
  named: (target: string, text: string) => string | undefined,
): string {
  const text = ours.replace(/^@/, '');
  const found = named(target, text);
  if (found !== undefined) return found;
  if (!ours.startsWith('@') && !/\s/.test(ours)) return ours;
  throw usage(`${capitalized(api.nounOf(target))} “${text}” not found in the target.`, {
    hint: 'Use its ID.',
  });
}
