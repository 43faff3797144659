/** Defines the rule for inventory items: an item can't be an ingredient of itself, directly or indirectly. */
import { sql } from '../../api/sql/sql.ts';
import type { Database } from '../../base/storage/database.ts';
import type { ResourceRule } from './rule.ts';

const circularProblem = "can't be an ingredient of itself";

export const inventoryItemRule: ResourceRule = {
  // API document, "Inventory Item": "raw or produced items".
  filters: {
    type: (value) => sql`CASE WHEN t.id IN (SELECT from_id FROM inventory_items_ingredients)
      THEN 'produced' ELSE 'raw' END = ${String(value)}`,
  },
  changeProblems: ({ database }, { before, body }) => {
    const ingredients = (body.ingredients ?? []) as { id: string }[];
    const entries = ingredients.map(({ id }, index) => [`ingredients.${index}.id`, id] as const);
    const circularEntries = before
      ? entries.filter(([, id]) => hasIngredient(database, id, String(before.id)))
      : [];
    return Object.fromEntries(circularEntries.map(([path]) => [path, [circularProblem]]));
  },
  linkProblems: ({ database }, field, id, otherId): Record<string, string[]> =>
    field === 'ingredients' && hasIngredient(database, otherId, id) ? { itemId: [circularProblem] } : {},
};

/** Returns whether an item contains an ingredient, directly or indirectly, or is the ingredient itself. */
function hasIngredient(database: Database, itemId: string, ingredientId: string): boolean {
  const parts = `WITH RECURSIVE parts(id) AS (
    VALUES (?) UNION SELECT l.to_id FROM inventory_items_ingredients l JOIN parts ON l.from_id = parts.id)`;
  return database.get(`${parts} SELECT 1 FROM parts WHERE id = ?`, itemId, ingredientId) !== undefined;
}
