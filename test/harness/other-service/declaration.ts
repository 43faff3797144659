/** How a resource of the other service is declared: scalars by kind, relations, and links with endpoints of their own. */

/** What a scalar contains. The generator and the styles of responses depend on it. */
export type Kind =
  | 'name'
  | 'text'
  | 'code'
  | 'unique'
  | 'phone'
  | 'email'
  | 'calling code'
  | 'boolean'
  | 'number'
  | 'percent'
  | 'integer'
  | 'level'
  | 'degrees'
  | 'date'
  | 'time'
  | 'hour'
  | 'ring'
  | 'numbers'
  | 'authorities'
  | 'notifications'
  | 'emails'
  | 'ids'
  | 'pin'
  | 'computed'
  | `choice ${string}`;

export interface Relation {
  to: string;
  /** Whether it holds one record, which requests name in `NAME_id`. */
  isOne?: boolean;
  /** The relation of the other resource that stores it. */
  inverse?: string;
  /** The values of each link: in requests beside its ID, in responses under `pivot`. */
  pivot?: Readonly<Record<string, Kind>>;
  /** Whether it has endpoints of its own for each link. */
  hasEndpoints?: boolean;
  /** Whether generated records always have it. */
  isRequired?: boolean;
  /** Whether the API document doesn't mark it as includable: a service that follows it always returns it. */
  isShown?: boolean;
}

export interface ResourceData {
  fields: Readonly<Record<string, Kind>>;
  relations?: Readonly<Record<string, Relation>>;
  /** Fields that the API document doesn't list. */
  unlisted?: Readonly<Record<string, Kind>>;
  /** Fields that a creation must contain. */
  required?: readonly string[];
  filters: string;
  /** `softly`: a deleted record stays and can be restored; `kept`: it stays; otherwise it is removed, or can't be deleted. */
  deletes?: 'softly' | 'kept' | 'removed';
  isReadOnly?: boolean;
}
