/** Plans the steps of a transfer that set and remove links between records. */
import { type Operation, operation } from '../contract/operation.ts';
import type { Step } from '../runs/ledger/row.ts';
import { linkSnapshot } from '../runs/record-snapshot.ts';
import { isSameLink, linkValues } from '../session/diff/fields.ts';
import { bodyFrom, linksIn, pivotOf } from '../session/record-body.ts';
import type { Row } from '../session/row.ts';
import type { Transfer } from './transfer.ts';
import type { TargetId } from './translate.ts';

/**
 * Returns the steps that set links. Links that only the target has are unchanged. `record` is the translated record, and
 * `existing` is the record of the target.
 */
export function linkSteps(
  linkOperation: Operation,
  recordId: TargetId,
  record: Row,
  existing: Row | undefined,
): Step[] {
  const field = linkOperation.link?.field ?? '';
  const currentLinks = linksIn(existing, field);
  return (linksIn(record, field) ?? []).flatMap((link) => {
    const { body } = bodyFrom(linkOperation, pivotOf(link));
    if (isSameLink(linkOperation, linkValues(existing, field, String(link.id), linkOperation), body))
      return [];
    // A new record has no links yet.
    const baseline = existing
      ? currentLinks && linkSnapshot(existing, field, String(link.id))
      : { [field]: [] };
    const ids = [recordId, link.id as TargetId];
    return [
      {
        resource: linkOperation.resource.name,
        verb: linkOperation.verb,
        ids,
        body,
        ...(baseline && { known: baseline }),
      },
    ];
  });
}

/**
 * Returns the steps that remove links that are missing in an edited list of the same account. Lists that can't be a column
 * of a file are unchanged.
 */
export function unlinkSteps(
  { edited, isSameAccount }: Transfer,
  linkOperation: Operation,
  record: Row,
  existing: Row | undefined,
): Step[] {
  const { link, resource, inverse } = linkOperation;
  const [field, links] = [link?.field ?? '', linksIn(record, link?.field ?? '')];
  const isColumn =
    operation(resource, 'update')?.body.some(({ responseName }) => responseName === field) === true;
  if (!edited || !isSameAccount || !isColumn || !existing || !links || !inverse) return [];
  const sourceIds = new Set(links.map(({ id }) => id));
  return (linksIn(existing, field) ?? [])
    .map(({ id }) => String(id))
    .filter((id) => !sourceIds.has(id))
    .map((id) => {
      const ids = [String(existing.id), id];
      return { resource: resource.name, verb: inverse.verb, ids, known: linkSnapshot(existing, field, id) };
    });
}
