/** The changes of a plan: their description in the terms of manifests, and their requests. */

import type { FieldChange } from '../../../account/session/diff/fields.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import type { RowReference } from '../../runs/ledger/row.ts';

/** The effect of a change on a record or link. */
export type ChangeAction = 'create' | 'update' | 'delete';

/** A change of a link, with records by name and enumerations by their words. */
export interface LinkChange {
  action: ChangeAction;
  /** The name of the list with the link: `items`. */
  link: string;
  /** The key of the record at the other end. */
  key: string;
  fields: Record<string, FieldChange>;
}

/** The difference of a record, without its requests. */
export interface Difference {
  action: ChangeAction;
  resource: Resource;
  /** The key of the record as text. */
  key: string;
  /** The title of the record; undefined if it is unknown or equals the key. */
  title: string | undefined;
  /** The ID; undefined for a new record. */
  id: string | undefined;
  fields: Record<string, FieldChange>;
  links: LinkChange[];
  /** The expanded variables of new values, by fields and lists of links; undefined if there are none. */
  expanded?: ExpandedVariables;
}

/** Names of environment variables, by names of fields. */
export type ExpandedVariables = Record<string, readonly string[]>;

/** A difference with the requests that apply it. */
export interface Change extends Difference {
  requests: PlannedRequests;
}

/** What the requests for a record set. References to records that don't exist yet name the rows that create them. */
export interface PlannedRequests {
  /** The name by which other rows refer to this row. */
  name: string;
  /** The row that is sent before this row because it releases the name that this row takes. */
  after?: string;
  /** The temporary name that the record gets first, so that another record can take its current name, and the name of that row. */
  release?: { field: string; value: string; name: string };
  /** The current record, deleted or not, with the compared fields; undefined for a new record. */
  current: Row | undefined;
  /** The values to set, by the names of request fields. */
  values: Row;
  links: LinkRequest[];
}

export interface LinkRequest {
  change: LinkChange;
  operation: Operation;
  linkedId: string | RowReference;
  body: Row | undefined;
}

/** A change as JSON output contains it. */
export interface ChangeRecord {
  action: ChangeAction;
  resource: string;
  key: string;
  fields: Record<string, FieldChange>;
  links?: LinkChange[];
  expanded?: ExpandedVariables;
}

/** Returns a change as JSON output contains it. */
export function changeRecord({ action, resource, key, fields, links, expanded }: Difference): ChangeRecord {
  return {
    ...{ action, resource: resource.command, key, fields },
    ...(links.length > 0 && { links }),
    ...(expanded && { expanded }),
  };
}
