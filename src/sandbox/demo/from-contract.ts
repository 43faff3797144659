/** Records that nobody wrote into the demo: one of each such kind, made of the contract's examples and known by the contract's own name for it. */
import type { Field, Fields } from '../../contract/field.ts';
import type { Resource } from '../../contract/resource.ts';
import { kinds } from '../kinds.ts';
import { quoted } from '../store/quoted.ts';
import type { DemoWriter } from './demo-writer.ts';

/** What the API only names is there in an empty sandbox, too, but for what comes to be by itself, as orders do. */
export function addFromContract(writer: DemoWriter, { isEmpty }: { isEmpty: boolean }): void {
  const { api } = writer.tables;
  for (const { name, known } of api.references) {
    const isNamed = Object.hasOwn(writer.tables.named(name).fields, 'name');
    if (isNone(writer, name) && isNamed) writer.add(name, { name: known }, known);
  }
  if (isEmpty) return;
  const missing = api.collections.filter(({ name }) => isNone(writer, name));
  const ids = new Map(missing.map((resource) => [resource.name, firstId(resource)]));
  const idIn = (target: string) => ids.get(target) ?? knownId(writer, target);
  for (const resource of missing) {
    writer.add(
      resource.name,
      { ...examples(resource.fields, idIn), ...named(resource) },
      ids.get(resource.name),
    );
  }
}

/** `recipe-1`; where nothing else names a record, the id that the contract knows. */
function firstId({ key, known, one }: Resource): string {
  return key.length === 0 ? known : `${one}-1`;
}

function named({ key, knownBy, known }: Resource): Record<string, unknown> {
  const by = knownBy ?? key[0];
  return by === undefined ? {} : { [by]: known };
}

function examples(fields: Fields, idIn: (target: string) => string | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, exampleOf(field, idIn)] as const),
  );
}

/** What must be unique is left to whoever tries the examples. */
function exampleOf({ kind, traits }: Field, idIn: (target: string) => string | undefined): unknown {
  const { target = '', pivot = {}, fields = {}, inverseOf, unique, example } = traits;
  const id = idIn(target);
  switch (kinds[kind].kept) {
    case 'cell':
      return unique ? undefined : example;
    case 'id':
      return id;
    case 'parts':
      return [examples(fields, idIn)];
    case 'links':
      return inverseOf || id === undefined ? undefined : [{ ...examples(pivot, idIn), id }];
  }
}

/** Of a record that somebody did write; none where there is no such one. */
function knownId({ database, tables }: DemoWriter, target: string): string | undefined {
  const { api } = tables;
  const resource = api.resource(target);
  if (!resource || resource.key.length === 0) return resource?.known ?? api.reference(target)?.known;
  const [[by, known] = []] = Object.entries(named(resource));
  const row = database.get(
    `SELECT id FROM ${quoted(target)} WHERE ${quoted(String(by))} = ? LIMIT 1`,
    String(known),
  );
  return row && String(row.id);
}

function isNone({ database }: DemoWriter, name: string): boolean {
  return database.get(`SELECT 1 FROM ${quoted(name)} LIMIT 1`) === undefined;
}
