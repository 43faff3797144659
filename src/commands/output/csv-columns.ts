/** The columns of CSV where nobody chose any: from the contract, so that they are the same every day. Loaded for CSV. */
import type { Field, Fields } from '../../contract/field.ts';
import type { Resource } from '../../contract/resource.ts';
import { resourceNamed } from '../../resources/index.ts';

/** All plain fields in the contract's order, objects dotted, relations by id and, where they are included, by name. */
export function csvColumns({ fields }: Resource, include: readonly string[]): string[] {
  return columnsOf(fields, '', new Set(include.map((path) => path.split('.')[0] ?? '')));
}

function columnsOf(fields: Fields, prefix: string, included: ReadonlySet<string>): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = prefix + name;
    if (field.traits.secret || field.traits.writeOnly) return [];
    switch (field.kind) {
      case 'object':
        return columnsOf(field.traits.fields ?? {}, `${path}.`, included);
      case 'one':
        return relationColumns(path, field, included.has(name));
      case 'many':
      case 'objects':
        // An answer has these in full or not at all, as it was asked; some always have them.
        return field.traits.includable && !included.has(name)
          ? []
          : relationColumns(path, field, included.has(name));
      default:
        return [path];
    }
  });
}

function relationColumns(path: string, { traits }: Field, isIncluded: boolean): string[] {
  const { target = '', amount, fields } = traits;
  const inner = fields ?? resourceNamed(target)?.fields;
  // References have no declared fields; what is known of them in answers is a name.
  const title = inner ? ['name', 'reference', 'code'].find((name) => name in inner) : 'name';
  return [
    `${path}.id`,
    ...(isIncluded && title ? [`${path}.${title}`] : []),
    ...(amount ? [`${path}.pivot.${amount}`] : []),
  ];
}
