/** The changes of a plan: their description in the terms of manifests, and the requests that make them. */
import type { Operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import type { RowReference } from '../../runs/ledger/row-reference.ts';
import type { FieldChange } from '../../session/diff/fields.ts';
import type { Row } from '../../session/row.ts';

/** What a change does to a record or link. */
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

/** The difference of a record, without the requests that remove it. */
export interface Difference {
  action: ChangeAction;
  resource: Resource;
  /** The key of the record as text. */
  key: string;
  /** The title of the record, if it is known and differs from the key. */
  title: string | undefined;
  /** The id; undefined for a new record. */
  id: string | undefined;
  fields: Record<string, FieldChange>;
  links: LinkChange[];
  /** The expanded variables of new values, by fields and lists of links; undefined if there are none. */
  expanded?: Expanded;
}

/** Names of environment variables, by names of fields. */
export type Expanded = Record<string, readonly string[]>;

/** A difference with the requests that remove it. */
export interface Change extends Difference {
  work: Work;
}

/** The bodies of the requests. A record that doesn't exist yet is a reference to the row that creates it. */
export interface Work {
  /** The name by which other rows refer to this row. */
  name: string;
  /** The row that releases the name which this row takes, and which is sent first. */
  after?: string;
  /** The temporary name that the record gets first, so that others can take its present one; and the name of that row. */
  release?: { field: string; value: string; name: string };
  /** Whether the record is deleted, and has to be restored first. */
  isRestored: boolean;
  /** The current record, with the fields that matter here; undefined for a new record. */
  known: Row | undefined;
  create: Row | undefined;
  update: Row | undefined;
  links: LinkWork[];
}

/** The request that changes a link. */
export interface LinkWork {
  change: LinkChange;
  operation: Operation;
  other: string | RowReference;
  body: Row | undefined;
}

/** A change as JSON output contains it. */
export interface ChangeRecord {
  action: ChangeAction;
  resource: string;
  key: string;
  fields: Record<string, FieldChange>;
  links?: LinkChange[];
  expanded?: Expanded;
}

/** Returns a change as JSON output contains it. */
export function changeRecord({ action, resource, key, fields, links, expanded }: Difference): ChangeRecord {
  return {
    ...{ action, resource: resource.command, key, fields },
    ...(links.length > 0 && { links }),
    ...(expanded && { expanded }),
  };
}
