/** Translates a record of the source for the target: replaces its IDs with IDs of the target, or with references to new rows. */

import { referencesNamed } from '../../account/session/references.ts';
import { isRow, type Row } from '../../account/session/row.ts';
import type { Session } from '../../account/session/session.ts';
import { isStoredByTarget } from '../../api/contract/dependency-order.ts';
import type { Field, Fields } from '../../api/contract/field.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { capitalize } from '../../api/contract/wording.ts';
import { usage } from '../../base/errors.ts';
import { type LedgerRow, type RowReference, rowReference } from '../runs/ledger/row.ts';
import { rowName, type Transfer } from './transfer.ts';

/** An ID of the target, or a reference to a row whose record doesn't exist yet. */
export type TargetId = string | RowReference;

/** A translated record. */
export interface Translation {
  record: Row;
  /** The relations to missing records, named as in responses. */
  missingRelations: string[];
}

/** Translates the fields of a record for which `isIncluded` returns true. Fields are named as in responses. */
export function translateRecord(
  transfer: Transfer,
  resource: Resource,
  record: Row,
  isIncluded: (name: string) => boolean,
): Translation {
  const missingRelations: string[] = [];
  const example = `${resource.noun} ${String(record.id)}`;
  const fields = Object.fromEntries(Object.entries(resource.fields).filter(([name]) => isIncluded(name)));
  const row = translateFields(
    { transfer, example, onMissing: (name) => missingRelations.push(name), resource },
    fields,
    record,
  );
  return { record: { id: record.id, ...row }, missingRelations };
}

interface TranslationContext {
  transfer: Transfer;
  resource: Resource;
  example: string;
  onMissing(name: string): void;
}

function translateFields(context: TranslationContext, fields: Fields, row: Row): Row {
  const translated: Row = {};
  for (const [name, field] of Object.entries(fields)) {
    if (!Object.hasOwn(row, name) || isStoredByTarget(context.transfer.session.api, field)) continue;
    const value = translateValue(context, name, field, row[name]);
    if (value !== undefined) translated[name] = value;
  }
  return translated;
}

function translateValue(context: TranslationContext, name: string, field: Field, value: unknown): unknown {
  const { target, fields } = field.traits;
  if (field.kind === 'ids' && Array.isArray(value))
    return value.flatMap((id) => translateItemId(context, name, String(id)) ?? []);
  if (fields && Array.isArray(value)) {
    // Nested items have their own IDs, which another account doesn't have.
    const idProperty = (item: Row) => (context.transfer.isSameAccount ? { id: item.id } : {});
    const nestedFields = Object.fromEntries(
      Object.entries(fields).filter(([fieldName]) => fieldName !== 'id'),
    );
    return value
      .filter(isRow)
      .map((item) => ({ ...idProperty(item), ...translateFields(context, nestedFields, item) }));
  }
  if (target === undefined) return value;
  if (Array.isArray(value)) {
    return value.filter(isRow).flatMap((link) => {
      const id = relatedId(context, name, field, link);
      return id === undefined ? [] : [{ ...link, id }];
    });
  }
  if (!isRow(value)) return value;
  const id = relatedId(context, name, field, value);
  return id === undefined ? undefined : { id };
}

function relatedId(
  context: TranslationContext,
  name: string,
  { traits }: Field,
  related: Row,
): TargetId | undefined {
  const { transfer, resource, example, onMissing } = context;
  const { report } = transfer;
  const target = traits.target ?? '';
  const foundId = targetId(transfer, target, related);
  if (foundId !== undefined) return foundId;
  // The record may be missing if the signed-in user can replace it.
  const isOptional = transfer.skipsMissing || traits.defaultsToSignedInUser === true;
  if (report.isExcluded(target, String(related.id)) || isOptional) report.addOmittedRelation(resource, name);
  else {
    // A reference to a record that can't be written is reported with that record.
    if (!transfer.ledger.rowNamed(rowName(target, String(related.id))))
      report.addMissing(target, related, example);
    onMissing(name);
  }
  return undefined;
}

/** Returns the target's ID of a record. Returns undefined if the record doesn't exist in the target and isn't transferred. */
export function targetId(transfer: Transfer, target: string, related: Row): TargetId | undefined {
  const { ledger, session, isSameAccount } = transfer;
  const id = String(related.id);
  if (!session.api.resource(target)) return transfer.idOfReference(target, related);
  const row = ledger.rowNamed(rowName(target, id));
  // A restored record doesn't exist before its own row is done.
  if (row && row.state !== 'bad')
    return row.id === null || isRestored(row) ? rowReference(rowName(target, id)) : row.id;
  return transfer.idOfReference(target, related) ?? (isSameAccount ? id : undefined);
}

function isRestored({ state, steps }: LedgerRow): boolean {
  return state !== 'done' && steps.some(({ verb }) => verb === 'restore');
}

/** Translates an ID of any resource that the record has lists of. Unknown IDs are omitted. */
function translateItemId(
  { transfer, resource }: TranslationContext,
  name: string,
  id: string,
): TargetId | undefined {
  const { api } = transfer.session;
  const targets = Object.values(resource.fields).flatMap(({ kind, traits: { target } }) =>
    kind === 'many' && target !== undefined ? [target] : [],
  );
  const transferred = targets.find((target) => transfer.ledger.rowNamed(rowName(target, id)));
  const candidateTargets =
    transferred === undefined ? targets.filter((target) => !api.resource(target)) : [transferred];
  for (const target of candidateTargets) {
    const foundId = targetId(transfer, target, { id });
    if (foundId !== undefined) return foundId;
  }
  if (transfer.isSameAccount) return id;
  transfer.report.addOmittedRelation(resource, name);
  return undefined;
}

/** A mapping from the command line for a record that the API can't list. */
export interface ReferenceMapping {
  /** The API's name of the resource: `branches`. */
  target: string;
  /** The ID or name in the source. */
  sourceName: string;
  /** The ID or name in the target. */
  targetName: string;
}

/** Returns a function that finds the target's ID of a record: by a mapping, or by the same ID or name. */
export async function createReferenceFinder(
  session: Session,
  requestedMappings: readonly ReferenceMapping[],
  { hasSameReferences }: { hasSameReferences: boolean },
): Promise<Transfer['idOfReference']> {
  const referencesByTarget = new Map<string, { id: string; name: string }[]>();
  for (const { name } of session.api.references)
    referencesByTarget.set(name, await session.names.references(name));
  const findByName = (target: string, idOrName: string): string | undefined => {
    const references = referencesByTarget.get(target) ?? [];
    if (references.some(({ id }) => id === idOrName)) return idOrName;
    const { matches, isFolded } = referencesNamed(references, idOrName);
    const [match, ...otherMatches] = matches;
    if (!match || otherMatches.length > 0) return undefined;
    if (isFolded) session.spellings.add({ written: idOrName, stored: match.name });
    return match.id;
  };
  const mappings = requestedMappings.map((mapping) => ({
    ...mapping,
    id: mappedId(session, mapping, findByName),
  }));
  return (target: string, related: Row) => {
    const id = String(related.id);
    const name = typeof related.name === 'string' ? related.name : undefined;
    const mapping = mappings.find(
      (candidate) =>
        candidate.target === target && (candidate.sourceName === id || candidate.sourceName === name),
    );
    if (mapping) return mapping.id;
    if (session.api.resource(target)) return undefined;
    // A file may contain only the name of a record.
    if (hasSameReferences && id !== name) return id;
    return findByName(target, id) ?? (name === undefined ? undefined : findByName(target, name));
  };
}

/**
 * Returns the target's ID of a mapping. Unknown text without a space or @ is accepted as an ID, because the API can't
 * list all IDs.
 */
function mappedId(
  { api }: Session,
  { target, targetName }: ReferenceMapping,
  findByName: (target: string, idOrName: string) => string | undefined,
): string {
  const idOrName = targetName.replace(/^@/, '');
  const foundId = findByName(target, idOrName);
  if (foundId !== undefined) return foundId;
  if (!targetName.startsWith('@') && !/\s/.test(targetName)) return targetName;
  throw usage(`${capitalize(api.nounOf(target))} "${idOrName}" not found in the target.`, {
    hint: 'Use its ID.',
  });
}
