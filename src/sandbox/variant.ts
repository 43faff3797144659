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

/** The names of the variant settings. */
export const variantNames = Object.keys(variantSettings) as (keyof Variant)[];
