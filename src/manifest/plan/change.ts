/** What a plan changes: for people and programs in the words of manifests, and beside it the requests that it takes. */
import type { RowReference } from '../../bulk/ledger/row-reference.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Row } from '../../session/row.ts';

export type ChangeAction = 'create' | 'update' | 'delete';

/** Relations by what the records are called, enumerations by their words; a secret without its value. */
export interface FieldChange {
  old: unknown;
  new: unknown;
}

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
}

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
}

export function changeRecord({ action, resource, key, fields, links }: Difference): ChangeRecord {
  return { action, resource: resource.command, key, fields, ...(links.length > 0 && { links }) };
}
