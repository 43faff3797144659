/** One owner for each account, who can't be deleted. Document: "User". */
import type { Rule } from './rule.ts';

export const userRule: Rule = {
  fill: () => ({ is_owner: 0 }),
  refuseDelete: (_, row): Record<string, string[]> =>
    row.is_owner === 1 ? { id: ["is that of the owner, who can't be deleted"] } : {},
};
