/** Defines the variant settings: the differences between deployments of the service, which the sandbox can simulate. */

/** The variant settings, with their initial values. */
export const variantSettings = {
  'wire.relations': {
    initial: 'ids',
    about: "Relations that a request doesn't include: returned as IDs, or omitted",
    unit: 'ids or absent',
    allowed: ['ids', 'absent'],
  },
  'wire.put': {
    initial: 'merge',
    about: "What PUT does with fields that aren't sent: keeps them, or empties them",
    unit: 'merge or replace',
    allowed: ['merge', 'replace'],
  },
  'wire.deleted_filter': {
    initial: 'include',
    about: 'What is_deleted=true returns: active and deleted records, or only deleted ones',
    unit: 'include or only',
    allowed: ['include', 'only'],
  },
  'wire.totals': {
    initial: 'shown',
    about: 'Whether lists return the number of records and pages',
    unit: 'shown or absent',
    allowed: ['shown', 'absent'],
  },
  'wire.page_size': { initial: 50, about: 'Rows per page', unit: 'rows', bounds: [1, 500] },
  'wire.page_param': {
    initial: 'page',
    about: 'The query parameter for the page number',
    unit: 'page, p, page_number or page[number]',
    allowed: ['page', 'p', 'page_number', 'page[number]'],
  },
  'wire.envelope': {
    initial: 'data',
    about: 'The envelope of responses: data; items for lists and none for single records; or none',
    unit: 'data, items or none',
    allowed: ['data', 'items', 'none'],
  },
  'wire.requests_per_minute': {
    initial: 0,
    about: 'Maximum requests per token, 0 for no limit',
    unit: 'requests a minute',
    bounds: [0, 100_000],
  },
  'wire.values': {
    initial: 'document',
    about: 'The words and numbers of enumerations that are accepted: those of the API document, or any',
    unit: 'document or any',
    allowed: ['document', 'any'],
  },
  'wire.empty_status': {
    initial: 200,
    about: 'The status of a response without a body: for deletes, restores and removed links',
    unit: '200 or 204',
    allowed: [200, 204],
  },
  'wire.listed': {
    initial: 'active',
    about: 'Records of a list without is_deleted: active records, or deleted records too',
    unit: 'active or all',
    allowed: ['active', 'all'],
  },
  'wire.parts': {
    initial: 'listed',
    about: 'Options of modifiers: in lists too, or only in single records',
    unit: 'listed or single',
    allowed: ['listed', 'single'],
  },
  'wire.redeem_method': {
    initial: 'GET',
    about: 'What redeems a reward: GET or PUT, or only PUT; GET then only reads it',
    unit: 'GET or PUT',
    allowed: ['GET', 'PUT'],
  },
  'wire.page_links': {
    initial: 'absent',
    about: 'Whether lists return links to the previous and the next page in meta.links too',
    unit: 'absent or shown',
    allowed: ['absent', 'shown'],
  },
  'wire.blocks': {
    initial: 'off',
    about:
      'Whether a token is blocked after too many refused requests: for a minute after more than 10 with status 429 in 10 seconds, for an hour after more than 60 with 401 or 403 in a minute',
    unit: 'off or on',
    allowed: ['off', 'on'],
  },
  'wire.business_settings': {
    initial: 'absent',
    about: 'Whether GET /settings returns the currency, the time zone, and whether prices include tax',
    unit: 'absent or served',
    allowed: ['absent', 'served'],
  },
  'wire.scalars': {
    initial: 'typed',
    about:
      'Values in every second record: as in the API document, or 0 and 1 for booleans and text for dial codes',
    unit: 'typed or mixed',
    allowed: ['typed', 'mixed'],
  },
  'wire.requests': {
    initial: 'strict',
    about:
      'Requests that differ from the API document in ways that Laravel services accept: refused, or accepted. sandbox serve and run accept them by default',
    unit: 'strict or lenient',
    allowed: ['strict', 'lenient'],
  },
} as const;

/** The values of the variant settings. Page sizes are in rows, and limits in requests per minute and token; 0 for none. */
export type Variant = {
  [Name in keyof typeof variantSettings]: ValueOf<(typeof variantSettings)[Name]>;
};

type ValueOf<Setting> = Setting extends { allowed: readonly (infer Value)[] } ? Value : number;

export const variantNames = Object.keys(variantSettings) as (keyof Variant)[];
