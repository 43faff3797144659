/** The requests that set the links of a record which have an address of their own, one for each link that isn’t so already. */
import type { Operation } from '../../contract/operation.ts';
import { linksIn, pivotOf } from '../../session/link.ts';
import { bodyFrom } from '../../session/record-body.ts';
import type { Row } from '../../session/row.ts';
import type { Step } from '../ledger/row.ts';
import { differenceOf } from '../plan/compare.ts';
import { knownLink } from '../plan/known.ts';
import type { TargetId } from './translate.ts';

/** `record` is translated; `found` is what the target holds, where it holds it. Links that only the target has stay. */
export function linkSteps(set: Operation, own: TargetId, record: Row, found: Row | undefined): Step[] {
  const field = set.link?.field ?? '';
  const held = linksIn(found, field);
  return (linksIn(record, field) ?? []).flatMap((link) => {
    const { body } = bodyFrom(set, pivotOf(link));
    const there = held?.find(({ id }) => id === link.id);
    const isSo = Object.keys(differenceOf(set.body, body, pivotOf(there), 'replace').body).length === 0;
    if (there && isSo) return [];
    const known = found && held ? knownLink(found, field, String(link.id)) : undefined;
    const ids = [own, link.id as TargetId];
    return [{ resource: set.resource.name, verb: set.verb, ids, body, ...(known && { known }) }];
  });
}
