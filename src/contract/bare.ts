/** Tables that are looked things up in by names from outside. */

/** Without a prototype: whatever name is looked up in it, only what was put there is found. */
export function bare<Table extends object>(table: Table): Table {
  return Object.assign(Object.create(null), table);
}
