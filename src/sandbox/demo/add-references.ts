/** Records that the API only names, such as branches, put into a sandbox under the ids that they have in another account. */
import type { Sandbox } from '../service.ts';
import { Tables } from '../store/tables.ts';
import { isActive } from '../validation/stored.ts';
import { DemoWriter } from './demo-writer.ts';

export interface ReferenceToAdd {
  /** Its kind, as the API calls it: `branches`. */
  target: string;
  id: string;
  name: string;
}

/** Those that are there already stay as they are. */
export function addReferences(
  { api, clock, database }: Sandbox,
  references: readonly ReferenceToAdd[],
): void {
  const tables = new Tables(api);
  const writer = new DemoWriter({ database, tables }, clock.now());
  database.write(() => {
    for (const { target, id, name } of references) {
      const table = tables.named(target);
      const isNamed = Object.hasOwn(table.fields, 'name');
      if (!isActive(database, table, id)) writer.addTo(table, isNamed ? { name } : {}, id);
    }
  });
}
