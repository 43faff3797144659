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
  for (const resource of missing) {
    const values = { ...examples(resource.fields, api.knownId), ...named(resource) };
    writer.add(resource.name, values, resource.knownId);
  }
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

function isNone({ database }: DemoWriter, name: string): boolean {
  return database.get(`SELECT 1 FROM ${quoted(name)} LIMIT 1`) === undefined;
}
