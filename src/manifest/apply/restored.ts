/** Records that are brought back by a run: others that point at one wait for its row, as it isn’t there before. */
import { type RowReference, rowReference } from '../../bulk/ledger/row-reference.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { withIdsReplaced } from '../../session/names.ts';
import type { Row } from '../../session/row.ts';
import type { Change } from '../plan/change.ts';

export class Restored {
  /** The names of their rows. */
  readonly #rows = new Map<string, string>();

  constructor(changes: readonly Change[]) {
    for (const { resource, id, work } of changes)
      if (work.isRestored && id !== undefined) this.#rows.set(keyOf(resource.name, id), work.name);
  }

  /** The same body of a creation or an update, with references to those rows in the place of their ids. */
  namedIn(body: Row, resource: Resource): Row {
    if (this.#rows.size === 0) return body;
    const fields = ['create', 'update'].flatMap((verb) => operation(resource, verb)?.body ?? []);
    return withIdsReplaced(fields, body, (target, id) => this.idOf(target, id));
  }

  /** What stands for a record in a link to it. */
  idOf<Id>(target: string, id: Id): Id | RowReference {
    const row = typeof id === 'string' ? this.#rows.get(keyOf(target, id)) : undefined;
    return row === undefined ? id : rowReference(row);
  }
}

function keyOf(target: string, id: string): string {
  return JSON.stringify([target, id]);
}
