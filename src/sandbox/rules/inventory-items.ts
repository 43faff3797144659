/** No item is made of itself, however far down its ingredients. */
import type { Database } from '../../storage/database.ts';
import type { Rule } from './rule.ts';

export const inventoryItemRule: Rule = {
  refuseLink: ({ database }, field, id, otherId): Record<string, string[]> =>
    field === 'ingredients' && isMadeOf(database, otherId, id)
      ? { itemId: ["can't be an ingredient of itself"] }
      : {},
};

function isMadeOf(database: Database, itemId: string, ingredientId: string): boolean {
  const parts = `WITH RECURSIVE parts(id) AS (
    VALUES (?) UNION SELECT l.to_id FROM inventory_items_ingredients l JOIN parts ON l.from_id = parts.id)`;
  return database.get(`${parts} SELECT 1 FROM parts WHERE id = ?`, itemId, ingredientId) !== undefined;
}
