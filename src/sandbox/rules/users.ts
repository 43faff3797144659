/** One owner for each account, who can't be deleted. Document: "User". */
import type { RowTest, Rule } from './rule.ts';

/** Whether a text is there, held against a yes or a no. */
function has(column: string) {
  return (value: unknown): RowTest => ({
    sql: `(ifnull(t.${column}, '') <> '') = ?`,
    cells: [value === true ? 1 : 0],
    isIndexed: true,
  });
}

export const userRule: Rule = {
  // A till asks for the pin, the console for the email address.
  filters: { has_app_access: has('pin'), has_console_access: has('email') },
  fill: () => ({ is_owner: 0 }),
  refuseDelete: (_, row): Record<string, string[]> =>
    row.is_owner === 1 ? { id: ["is that of the owner, who can't be deleted"] } : {},
};
