/** Tax groups can be filtered by a reference that the document shows nowhere: the sandbox keeps one, and answers don't show it. */
import type { Rule } from './rule.ts';

export const taxGroupRule: Rule = {
  filters: { reference: (value) => ({ sql: 't.reference = ?', cells: [String(value)], isIndexed: true }) },
};
