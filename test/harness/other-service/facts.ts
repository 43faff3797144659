/** What is known to differ between services, as switches of one service. The defaults are the API document's. */

export interface Facts {
  /** Whether lists contain deleted records that no filter asked for. */
  listsDeleted: boolean;
  /** What the filter `is_deleted=true` does. */
  deletedFilter: 'include' | 'only' | 'ignored' | 'refused';
  /**
   * The relations in lists: as links (IDs), as in the API document (those that it doesn't mark as includable), or only
   * with `include`.
   */
  relations: 'links' | 'document' | 'include';
  /** The relations in single records. */
  singleRelations: 'links' | 'document' | 'include';
  /** Whether only single records have the options of modifiers. */
  hasSingleOptions: boolean;
  /** Relations whose `include` is refused with 400, such as `suppliers.items`. */
  refusedIncludes: readonly string[];
  /** Whether a refusal names what is allowed. */
  namesAllowed: boolean;
  /** What happens to `per_page`; `capped` at the default size of a page. */
  perPage: 'ignored' | 'accepted' | 'capped';
  /** What a list says about its size: everything, the next page, or nothing. */
  totals: 'all' | 'next' | 'none';
  /** Whether `links.next` keeps the filters. */
  next: 'complete' | 'without filters';
  /** What PUT does to fields that it doesn't get. */
  put: 'merge' | 'replace';
  /** The method that redeems a reward. */
  redeem: 'GET' | 'PUT';
  /** Whether records have words and numbers that the API document doesn't list. */
  hasUnlistedValues: boolean;
  /** Whether records have fields that the API document doesn't list. */
  hasUnlistedFields: boolean;
  /** What happens to a filter that isn't listed. */
  unlistedFilters: 'refused' | 'ignored';
  ids: 'words' | 'uuid' | 'hex' | 'underscore';
  booleans: 'booleans' | 'numbers';
  dialCodes: 'numbers' | 'text';
  /** Whether the stock levels of some items are null. */
  hasNullLevels: boolean;
  /** Each request whose number is a multiple of this one gets 429 with `Retry-After: 0`; 0 means none. */
  refusesEvery: number;
  /** The response to DELETE and restore. */
  doneBody: 'empty' | 'no content' | 'record';
  whoami: 200 | 403 | 404;
  /** The status of lists that can't be read, by path. */
  brokenLists: Readonly<Record<string, 400 | 403 | 404>>;
  /** Whether branches, products and other records that the document names only by ID have lists. */
  hasLookupLists: boolean;
  pageSize: number;
}

/** A service as in the API document. */
export const documentFacts: Facts = {
  listsDeleted: false,
  deletedFilter: 'include',
  relations: 'document',
  singleRelations: 'document',
  hasSingleOptions: false,
  refusedIncludes: [],
  namesAllowed: true,
  perPage: 'ignored',
  totals: 'all',
  next: 'complete',
  put: 'merge',
  redeem: 'GET',
  hasUnlistedValues: false,
  hasUnlistedFields: false,
  unlistedFilters: 'refused',
  ids: 'words',
  booleans: 'booleans',
  dialCodes: 'numbers',
  hasNullLevels: false,
  refusesEvery: 0,
  doneBody: 'record',
  whoami: 200,
  brokenLists: {},
  hasLookupLists: false,
  pageSize: 6,
};

/** A service as in recorded responses and notes about public integrations. */
export const seenFacts: Facts = {
  ...documentFacts,
  listsDeleted: true,
  relations: 'include',
  singleRelations: 'include',
  hasSingleOptions: true,
  perPage: 'capped',
  next: 'without filters',
  redeem: 'PUT',
  hasUnlistedValues: true,
  hasUnlistedFields: true,
  ids: 'uuid',
  booleans: 'numbers',
  dialCodes: 'text',
  hasNullLevels: true,
  doneBody: 'empty',
  hasLookupLists: true,
};

/** Each switch alone, by a title. */
export const singleFacts: Readonly<Record<string, Partial<Facts>>> = {
  'as in the API document': {},
  'deleted records in lists': { listsDeleted: true },
  'is_deleted lists only deleted records': { deletedFilter: 'only' },
  'deleted records in lists, and is_deleted lists only them': { listsDeleted: true, deletedFilter: 'only' },
  'deleted records in lists, and is_deleted is ignored': { listsDeleted: true, deletedFilter: 'ignored' },
  'deleted records in lists, and is_deleted is refused': { listsDeleted: true, deletedFilter: 'refused' },
  'relations of lists only with include': { relations: 'include' },
  'all relations only with include': { relations: 'include', singleRelations: 'include' },
  'relations of lists only with include, and single records with links': {
    relations: 'include',
    singleRelations: 'links',
  },
  'relations as links': { relations: 'links', singleRelations: 'links' },
  'options only in single records': { hasSingleOptions: true },
  'refusals without the allowed names': { namesAllowed: false },
  'relations only with include, and refusals without the allowed names': {
    relations: 'include',
    namesAllowed: false,
  },
  'per_page accepted': { perPage: 'accepted' },
  'per_page capped': { perPage: 'capped' },
  'only links to the next page': { totals: 'next' },
  'lists without totals and links': { totals: 'none' },
  'links.next without filters': { next: 'without filters' },
  'unlisted words and numbers': { hasUnlistedValues: true },
  'unlisted fields': { hasUnlistedFields: true },
  'unlisted filters ignored': { unlistedFilters: 'ignored' },
  'UUIDs as IDs': { ids: 'uuid' },
  'hexadecimal IDs': { ids: 'hex' },
  'IDs with an underscore': { ids: 'underscore' },
  'booleans as 0 and 1': { booleans: 'numbers' },
  'dial_code as text': { dialCodes: 'text' },
  'levels that are null': { hasNullLevels: true },
  'some requests get 429': { refusesEvery: 7 },
  'empty bodies after deletions': { doneBody: 'empty' },
  'no content after deletions': { doneBody: 'no content' },
  'no permission for whoami': { whoami: 403 },
  'no whoami': { whoami: 404 },
  'lists of branches and products': { hasLookupLists: true },
  'a list that the token may not read': { brokenLists: { sections: 403 } },
  'a list that is refused': { brokenLists: { transfer_orders: 400 } },
  'a list that is missing': { brokenLists: { loyalty_rewards: 404 } },
  'a relation that nothing shows': { refusedIncludes: ['suppliers.items'] },
  'a relation that only single records show': {
    relations: 'include',
    singleRelations: 'links',
    refusedIncludes: ['suppliers.items'],
  },
  'deleted records that nothing shows': { deletedFilter: 'refused' },
  'updates that replace the record': { put: 'replace' },
  'as seen in integrations': seenFacts,
};
