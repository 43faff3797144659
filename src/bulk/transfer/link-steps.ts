/** The requests that set the links of a record which have an address of their own, one for each link that isn’t so already. */
import type { Operation } from '../../contract/operation.ts';
import { bodyFrom } from '../../session/record-body.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Step } from '../ledger/row.ts';
import { differenceOf } from '../plan/compare.ts';
import { knownLink } from '../plan/known.ts';
import type { TargetId } from './translate.ts';

/** `record` is translated; `found` is what the target holds, where it holds it. Links that only the target has stay. */
export function linkSteps(set: Operation, own: TargetId, record: Row, found: Row | undefined): Step[] {
  const field = set.link?.field ?? '';
  const wanted = record[field];
  const held = found?.[field];
  return (Array.isArray(wanted) ? wanted : []).filter(isRow).flatMap((link) => {
    const { body } = bodyFrom(set, isRow(link.pivot) ? link.pivot : {});
    const there = (Array.isArray(held) ? held : []).filter(isRow).find(({ id }) => id === link.id);
    const pivot = isRow(there?.pivot) ? there.pivot : {};
    if (there && Object.keys(differenceOf(set.body, body, pivot, 'replace').body).length === 0) return [];
    const known = found && Array.isArray(held) ? knownLink(found, field, String(link.id)) : undefined;
    const ids = [own, link.id as TargetId];
    return [{ resource: set.resource.name, verb: set.verb, ids, body, ...(known && { known }) }];
  });
}
