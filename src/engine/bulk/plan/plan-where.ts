/** Plans a change of every record that matches the filters, in a ledger. */

import { changedLists, type ListChange } from '../../../account/session/diff/lists.ts';
import { mayMatch } from '../../../account/session/ignored-filter.ts';
import { bodyFrom, relationsToInclude } from '../../../account/session/record-body.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { settingHint } from '../../../account/session/update-guard.ts';
import { fieldsToInclude } from '../../../api/contract/include.ts';
import { type Operation, operation as operationOf } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { decide, decideLink, rowChangeOf, stepOf } from '../../runs/decide.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import type { NewRow, RowChange } from '../../runs/ledger/row.ts';

/** The plan of a command with `--where`. */
export interface WherePlan {
  ledger: Ledger;
  session: Session;
  operation: Operation;
  /** The filters, by the names in the API document; at least one, with names already resolved to IDs. */
  filters: Readonly<Record<string, string>>;
  /** The ids after the record's id in the path, such as that of a linked record. */
  otherIds: readonly string[];
  /** The values that an update or a link sets, with names already resolved to IDs. */
  body: Row;
  /** Lists that an update changes by adding and removing values. */
  changes: readonly ListChange[];
}

/** Fills the ledger with the plan. Throws if the service has ignored a filter. Sends only reads. */
export async function planWhere(plan: WherePlan): Promise<void> {
  const { ledger, session, operation } = plan;
  const { resource, effect } = operation;
  const list = operationOf(resource, 'list');
  if (!list) throw usage(`${resource.command} can't be listed, so --where can't be used.`);
  const query = { filters: plan.filters, include: includeFor(plan) };
  const listing = session.list(
    { operation: list, query },
    { readsAll: true, deletedOnly: effect === 'restore' },
  );
  for await (const { rows } of listing.pages()) {
    for (const row of rows) checkFilters(plan, row);
    ledger.add(rows.map((row) => toNewRow(plan, row)));
  }
}

function checkFilters(
  { filters, operation: { resource }, session: { settings } }: WherePlan,
  row: Row,
): void {
  const otherStyle = settings.wire.filterStyle === 'bracket' ? 'plain' : 'bracket';
  for (const filter of resource.filters) {
    const value = filters[filter.name];
    if (value === undefined || mayMatch({ filter, value }, row)) continue;
    throw new Failure(
      'unavailable',
      `The service ignored the filter ${filter.name}: it returned ${resource.noun} ${row.id}, which doesn't match. Nothing was sent.`,
      {
        hint: [
          'The service may expect filters in another style: ',
          settingHint(settings, 'wire.filter_style', otherStyle),
        ],
      },
    );
  }
}

function toNewRow(plan: WherePlan, record: Row): NewRow {
  const { resource } = plan.operation;
  const id = typeof record.id === 'string' ? record.id : null;
  const row = { line: null, key: labelOf(resource, record), id };
  if (id !== null) return { ...row, state: 'read', ...decideMatching(plan, record, id) };
  const message = `The service doesn't return an ID for this ${resource.noun}.`;
  return { ...row, state: 'bad', action: 'skip', error: { category: 'unavailable', message } };
}

function decideMatching(
  { operation, otherIds, body, changes }: WherePlan,
  record: Row,
  id: string,
): RowChange {
  const { resource, effect, inverse } = operation;
  const [linkedId = ''] = otherIds;
  if (effect === 'link') return decideLink({ operation, linkedId, values: body }, record);
  if (effect === 'unlink' && inverse)
    return decideLink({ operation: inverse, linkedId, values: undefined }, record);
  if (effect === 'delete' || effect === 'restore')
    return { state: 'planned', action: effect, steps: [stepOf(operation, [id], undefined, record)] };
  const current = bodyFrom({ body: changes.map(({ entry }) => entry) }, record);
  const values = { ...body, ...changedLists(changes, current) };
  return rowChangeOf(decide({ resource, state: 'present', values }, record), id);
}

function includeFor({ operation, body, changes, filters }: WherePlan): string[] {
  const { resource, link } = operation;
  const entries = operation.body.filter(
    ({ name }) => Object.hasOwn(body, name) || changes.some(({ entry }) => entry.name === name),
  );
  // The fields of the filters have to be requested, so that records can be compared with them.
  const filterFields = resource.filters.flatMap(({ name, on = '' }) =>
    Object.hasOwn(filters, name) ? [on] : [],
  );
  return [
    ...new Set([
      ...relationsToInclude({ body: entries }),
      ...(link ? [link.field] : []),
      ...fieldsToInclude(resource, filterFields),
    ]),
  ];
}

function labelOf({ key, title }: Resource, record: Row): string | null {
  const names = title === undefined ? key : [title, ...key];
  const label = names.map((name) => record[name]).find((value) => typeof value === 'string' && value !== '');
  return label === undefined ? null : String(label);
}
