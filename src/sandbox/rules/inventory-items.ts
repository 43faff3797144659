/** No item may be an ingredient of itself, directly or indirectly. */
import type { Database } from '../../storage/database.ts';
import type { Rule } from './rule.ts';

const problem = "can't be an ingredient of itself";

/** The rule for inventory items. */
export const inventoryItemRule: Rule = {
  // Document, "Inventory Item": "raw or produced items".
  filters: {
    type: (value) => {
      const isMade = 'EXISTS (SELECT 1 FROM inventory_items_ingredients i WHERE i.from_id = t.id)';
      return { sql: `CASE WHEN ${isMade} THEN 'produced' ELSE 'raw' END = ?`, cells: [String(value)] };
    },
  },
  refuse: ({ database }, { before, body }) => {
    const ingredients = (body.ingredients ?? []) as { id: string }[];
    const entries = ingredients.map(({ id }, index) => [`ingredients.${index}.id`, id] as const);
    const wrong = before ? entries.filter(([, id]) => isMadeOf(database, id, String(before.id))) : [];
    return Object.fromEntries(wrong.map(([path]) => [path, [problem]]));
  },
  refuseLink: ({ database }, field, id, otherId): Record<string, string[]> =>
    field === 'ingredients' && isMadeOf(database, otherId, id) ? { itemId: [problem] } : {},
};

function isMadeOf(database: Database, itemId: string, ingredientId: string): boolean {
  const parts = `WITH RECURSIVE parts(id) AS (
    VALUES (?) UNION SELECT l.to_id FROM inventory_items_ingredients l JOIN parts ON l.from_id = parts.id)`;
  return database.get(`${parts} SELECT 1 FROM parts WHERE id = ?`, itemId, ingredientId) !== undefined;
}
