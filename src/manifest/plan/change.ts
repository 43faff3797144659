/** What a plan changes: for people and programs in the words of manifests, and beside it the requests that it takes. */
import type { Operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import type { RowReference } from '../../runs/ledger/row-reference.ts';
import type { FieldChange } from '../../session/diff/fields.ts';
import type { Row } from '../../session/row.ts';

export type ChangeAction = 'create' | 'update' | 'delete';

/** Relations by what the records are called, enumerations by their words. */
export interface LinkChange {
  action: ChangeAction;
  /** The list that it stands in: `items`. */
  link: string;
  /** What the record at the other end is called. */
  key: string;
  fields: Record<string, FieldChange>;
}

/** What differs of a record, without the requests that would make it the same. */
export interface Difference {
  action: ChangeAction;
  resource: Resource;
  /** By what the record is known. */
  key: string;
  /** What people call it, where that is known and is something else. */
  title: string | undefined;
  /** None of a record that is to be made. */
  id: string | undefined;
  fields: Record<string, FieldChange>;
  links: LinkChange[];
  /** Variables of the environment whose values are in new values, by fields and lists of links; only where there are any. */
  expanded?: Expanded;
}

/** Names of variables, by the names of fields. */
export type Expanded = Record<string, readonly string[]>;

export interface Change extends Difference {
  work: Work;
}

/** In the shape in which it is sent; a record that isn’t there yet stands in it as a reference to the row that makes it. */
export interface Work {
  /** By which other rows refer to this one. */
  name: string;
  /** The row that gives up the name which this one takes, and so has to be done first. */
  after?: string;
  /** It was deleted, and is brought back first. */
  isRestored: boolean;
  /** The record as it was read, as far as it matters here; none of one that is to be made. */
  known: Row | undefined;
  create: Row | undefined;
  update: Row | undefined;
  links: LinkWork[];
}

export interface LinkWork {
  change: LinkChange;
  operation: Operation;
  other: string | RowReference;
  body: Row | undefined;
}

/** The exact form that programs read. */
export interface ChangeRecord {
  action: ChangeAction;
  resource: string;
  key: string;
  fields: Record<string, FieldChange>;
  links?: LinkChange[];
  expanded?: Expanded;
}

export function changeRecord({ action, resource, key, fields, links, expanded }: Difference): ChangeRecord {
  return {
    ...{ action, resource: resource.command, key, fields },
    ...(links.length > 0 && { links }),
    ...(expanded && { expanded }),
  };
}
