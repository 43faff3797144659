/** What inventory counts, cost adjustments and transfer orders share: where they happened, and who made and posted them. */
import { choice, date, one, text } from '../contract/field.ts';
import { filterOn } from '../contract/filter.ts';

export const businessDate = date().nullable().about('The business day it belongs to').example('2026-11-20');

export const reference = text().nullable().about('Its reference').example('REF-9001');

// Typed array in some field tables and string in the samples: text is what people write.
export const notes = text().writable().nullable().about('Notes').example('Checked twice');

export const draftOrClosed = choice({ draft: 1, closed: 2 });

export const branch = one('branches')
  .required()
  .writable()
  .about('The branch it belongs to')
  .example('branch-riverside');

/** Deployments refuse a record without it (docs/deployments.md: "Values"). */
export const creator = one('users').required().writable().defaultsToSignedInUser().about('Who made it');

export const poster = one('users').writable().nullable().about('Who posted it');

export const businessDateRules = {
  business_date_after: filterOn('business_date', 'after', date().about('Business days after this one')),
  business_date_before: filterOn('business_date', 'before', date().about('Business days before this one')),
};

/** The filters of counts and cost adjustments, in the document's order. */
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
