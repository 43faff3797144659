/** Fields and filters that inventory counts, cost adjustments and transfer orders share. */
import { choice, code, date, one, text } from '../contract/field.ts';
import { fieldFilter } from '../contract/filter.ts';

/** The business day of a document. */
export const businessDate = date().nullable().describe('Business day').example('2026-11-20');

/** The reference of a document. */
export const reference = code().nullable().describe('Reference').example('REF-9001');

/** Notes on a document. Some field tables say array and the samples show a string: boh sends text. */
export const notes = text().writable().nullable().describe('Notes').example('Checked twice');

/** The status of a document that takes effect when it is closed. */
export const draftOrClosed = choice({ draft: 1, closed: 2 });

/** The branch of a document. */
export const branch = one('branches').required().writable().describe('Branch').example('branch-riverside');

/** The user who created the document. Deployments refuse a document without one (docs/reference/deployments.md: "Values"). */
export const creator = one('users')
  .required()
  .writable()
  .defaultsToSignedInUser()
  .describe('User who created the document');

/** The user who posted the document. */
export const poster = one('users').writable().nullable().describe('User who posted the document');

/** Filters that list the documents after or before a business day. */
export const businessDateRules = {
  business_date_after: fieldFilter('business_date', 'after', date().describe('Business day after this date')),
  business_date_before: fieldFilter(
    'business_date',
    'before',
    date().describe('Business day before this date'),
  ),
};

/** The filters of counts and cost adjustments, in the order of the API document. */
export const stockFilters = [
  'id',
  'business_date',
  'business_date_after',
  'business_date_before',
  'reference',
  'status',
  'branch_id',
  'creator_id',
  'poster_id',
  'updated_after',
  'created_on',
  'updated_on',
] as const;
