/** Collects the records that a plan may delete while the account is read, and returns their deletions. */

import { Failure } from '../../base/errors.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Row } from '../../session/row.ts';
import type { Declared } from '../declared/declared.ts';
import { builtInRole, canBeCreated } from '../declared/fields.ts';
import type { Mistakes } from '../source/mistakes.ts';
import type { Change } from './change.ts';

/** The records of some resources that may be deleted: only records that a manifest could create again. */
export class Deletable {
  readonly #rows: ReadonlyMap<Resource, Row[]>;

  constructor(resources: Iterable<Resource>) {
    this.#rows = new Map([...resources].map((resource) => [resource, []]));
  }

  /** Returns a function for each resource, to be called for each of its records. */
  collectors(): Map<Resource, (row: Row) => void> {
    const collect =
      ([resource, rows]: [Resource, Row[]]) =>
      (row: Row) => {
        if (canBeCreated(resource, row)) rows.push(identifyingFields(resource, row));
      };
    return new Map([...this.#rows].map((entry) => [entry[0], collect(entry)]));
  }

  /** Returns the number of records of each resource, for the limit of deletions. */
  counts(): Map<Resource, number> {
    return new Map([...this.#rows].map(([resource, rows]) => [resource, rows.length]));
  }

  /** Returns the deletions of records that aren't declared, in reverse order of creation. */
  prune(resource: Resource, matches: ReadonlyMap<Declared, Row>): Change[] {
    if (!operation(resource, 'delete'))
      throw new Failure('usage', `${resource.command} can't be deleted, so --prune can't be used for them.`);
    const declaredIds = new Set(
      [...matches].flatMap(([record, { id }]) => (record.resource === resource ? [id] : [])),
    );
    const rows = this.#rows.get(resource) ?? [];
    return rows.filter(({ id }) => !declaredIds.has(id)).map((row) => deletion(resource, row));
  }

  /** Returns the deletion of a record that is declared absent; an empty list if the account doesn't have it. */
  deleteAbsent(record: Declared, row: Row | undefined, mistakes: Mistakes): Change[] {
    if (!row) return [];
    const { resource, location } = record;
    if (!this.#rows.get(resource)?.some(({ id }) => id === row.id)) {
      const role = builtInRole(resource, row);
      const reason =
        role === undefined ? 'no manifest could create it again' : `it is the ${role} of the account`;
      mistakes.add(location, `can't be deleted by $absent: ${reason} (use boh ${resource.command} delete)`);
    }
    return [deletion(resource, row)];
  }
}

/** Returns the fields that identify a record to delete. */
function identifyingFields({ key, title }: Resource, row: Row): Row {
  const names = ['id', ...(title === undefined ? [] : [title]), ...key];
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

function deletion(resource: Resource, row: Row): Change {
  const id = String(row.id);
  const name = [...resource.key, resource.title ?? 'id']
    .map((name) => row[name])
    .find((value) => typeof value === 'string' && value !== '');
  const key = name === undefined ? id : String(name);
  const titleValue = row[resource.title ?? 'id'];
  const title =
    typeof titleValue === 'string' && titleValue !== '' && titleValue !== key ? titleValue : undefined;
  const requests = {
    name: `${resource.command} ${id} deleted`,
    needsRestore: false,
    // Only the identifying fields were stored.
    current: undefined,
    create: undefined,
    update: undefined,
    links: [],
  };
  return { action: 'delete', resource, key, title, id, fields: {}, links: [], requests };
}
