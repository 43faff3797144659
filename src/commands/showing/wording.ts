/** Words for sentences about records. */
import type { Resource } from '../../contract/resource.ts';
import { resourceNamed } from '../../resources/index.ts';
import { references } from '../../resources/references.ts';

/** "inventory item" for `inventory_items`; "branch" for `branches`, which has no endpoints. */
export function oneOf(target: string): string {
  const one = resourceNamed(target)?.one ?? references.find(({ name }) => name === target)?.one ?? target;
  return one.replaceAll(/[-_]/g, ' ');
}

/** "customers", "inventory items". */
export function manyOf({ command }: Resource): string {
  return command.replaceAll('-', ' ');
}

/** "1 customer", "2 customers". */
export function counted(resource: Resource, count: number): string {
  return `${count} ${count === 1 ? oneOf(resource.name) : manyOf(resource)}`;
}

/** With a capital at its beginning. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
