/** A record of the source in the words of the target: every id that it holds of others is theirs there, or will be; those without a list are given. */
import { usage } from '../base/errors.ts';
import { isKeptByOther } from '../contract/dependency-order.ts';
import type { Field, Fields } from '../contract/field.ts';
import { keyForm } from '../contract/key-form.ts';
import type { Resource } from '../contract/resource.ts';
import { withArticle } from '../contract/wording.ts';
import type { LedgerRow } from '../runs/ledger/row.ts';
import { type RowReference, rowReference } from '../runs/ledger/row-reference.ts';
import { isRow, type Row } from '../session/row.ts';
import type { Session } from '../session/session.ts';
import { rowName, type Transfer } from './transfer.ts';

/** An id of the target, or that of a row that is still to be made. */
export type TargetId = string | RowReference;

export interface Translation {
  record: Row;
  /** Relations, by the names of answers, that lead to what isn’t there. */
  missing: string[];
}

/** `part` are the fields that are wanted, by the names of answers. */
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
    if (!Object.hasOwn(row, name) || isKeptByOther(how.transfer.session.api, field)) continue;
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
    // What is inside has ids of its own, which another account doesn’t know.
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
  // Where the signed-in user can stand in, nobody has to be there.
  const isOptional = transfer.skipMissing || traits.defaultsToSignedInUser === true;
  if (findings.isHeldBack(target, String(related.id)) || isOptional) findings.leaveOut(resource, name);
  else {
    // What hangs on a record that can’t be written is told of with that.
    if (!transfer.ledger.named(rowName(target, String(related.id)))) findings.miss(target, related, example);
    onMissing(name);
  }
  return undefined;
}

/** Undefined where there is none and will be none. */
export function targetId(transfer: Transfer, target: string, related: Row): TargetId | undefined {
  const { ledger, session, isSameAccount } = transfer;
  const id = String(related.id);
  if (!session.api.resource(target)) return transfer.idOfReference(target, related);
  const row = ledger.named(rowName(target, id));
  // One that is brought back isn’t there before its own row is done.
  if (row && row.state !== 'bad')
    return row.id === null || isBroughtBack(row) ? rowReference(rowName(target, id)) : row.id;
  return isSameAccount ? id : undefined;
}

function isBroughtBack({ state, steps }: LedgerRow): boolean {
  return state !== 'done' && steps.some(({ verb }) => verb === 'restore');
}

/** An id that stands by itself may be of anything that the record has lists of; what nobody knows is left out. */
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

export interface GivenReference {
  /** By the API’s own name: `branches`. */
  target: string;
  /** Each by its id or its name. */
  theirs: string;
  ours: string;
}

/** By what is said, else by the same id or name where the target is known to have that. */
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
  const ours = given.map((one) => ({ ...one, id: idSaid(session, one, named) }));
  return (target: string, related: Row) => {
    const id = String(related.id);
    const name = typeof related.name === 'string' ? related.name : undefined;
    const said = ours.find((one) => one.target === target && (one.theirs === id || one.theirs === name));
    if (said) return said.id;
    if (areSame) return id;
    return named(target, id) ?? (name === undefined ? undefined : named(target, name));
  };
}

/** An id that isn’t known may be right; a name that isn’t can’t be told from one. */
function idSaid(
  { api }: Session,
  { target, ours }: GivenReference,
  named: (target: string, text: string) => string | undefined,
): string {
  const text = ours.replace(/^@/, '');
  const found = named(target, text);
  if (found !== undefined) return found;
  if (!ours.startsWith('@') && !/\s/.test(ours)) return ours;
  throw usage(`The target is not known to have ${withArticle(api.nounOf(target))} “${text}”.`, {
    hint: 'Give its id.',
  });
}
