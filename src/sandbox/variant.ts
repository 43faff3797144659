/** What deployments do otherwise, one setting each: the sandbox can be any of them, so that a program is tried on all. */

export const variantSettings = {
  'wire.relations': {
    initial: 'ids',
    about: 'Includable relations that a request doesn’t include: shown by their ids, or absent',
    unit: 'ids or absent',
    allowed: ['ids', 'absent'],
  },
  'wire.put': {
    initial: 'merge',
    about: 'What PUT does to fields that it isn’t given: leaves them, or empties them',
    unit: 'merge or replace',
    allowed: ['merge', 'replace'],
  },
  'wire.deleted_filter': {
    initial: 'include',
    about: 'What is_deleted=true answers: active and deleted records, or deleted ones alone',
    unit: 'include or only',
    allowed: ['include', 'only'],
  },
  'wire.totals': {
    initial: 'shown',
    about: 'Whether lists tell how many records and pages they have',
    unit: 'shown or absent',
    allowed: ['shown', 'absent'],
  },
  'wire.page_size': { initial: 50, about: 'The rows of a page', unit: 'rows', between: [1, 500] },
  'wire.page_param': {
    initial: 'page',
    about: 'The query parameter that asks for a page',
    unit: 'page, p, page_number or page[number]',
    allowed: ['page', 'p', 'page_number', 'page[number]'],
  },
  'wire.envelope': {
    initial: 'data',
    about: 'What answers come in: under data; lists under items and records bare; or all of them bare',
    unit: 'data, items or none',
    allowed: ['data', 'items', 'none'],
  },
  'wire.requests_per_minute': {
    initial: 0,
    about: 'How many requests each token may make, 0 for any number',
    unit: 'requests a minute',
    between: [0, 100_000],
  },
  'wire.empty_status': {
    initial: 200,
    about: 'The status of an answer without a body: of deletes, restores and removed links',
    unit: '200 or 204',
    allowed: [200, 204],
  },
} as const;

export interface Variant {
  'wire.relations': 'ids' | 'absent';
  'wire.put': 'merge' | 'replace';
  'wire.deleted_filter': 'include' | 'only';
  'wire.totals': 'shown' | 'absent';
  /** In rows. */
  'wire.page_size': number;
  'wire.page_param': string;
  'wire.envelope': 'data' | 'items' | 'none';
  /** 0 for any number. */
  'wire.requests_per_minute': number;
  'wire.empty_status': 200 | 204;
}

export const variantNames = Object.keys(variantSettings) as (keyof Variant)[];
