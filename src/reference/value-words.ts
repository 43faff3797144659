/** Values in the words of help: what stands for one on the command line, what it means, what it may be. */
import type { Field } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import { flagName, typedWords } from '../contract/text.ts';

/** A field or filter as a flag, the way help shows it: `--tags <id,...>`, `--[no-]is-active`. */
export function flagTerm(name: string, field: Field): string {
  const flag = flagName(name);
  return field.kind === 'boolean' ? `--[no-]${flag}` : `--${flag} <${placeholder(field)}>`;
}

/** What stands for the value in help. */
export function placeholder(field: Field): string {
  switch (field.kind) {
    case 'boolean':
      return 'true|false';
    case 'one':
      return 'id';
    case 'many':
      return field.traits.amount ? 'id=number,...' : 'id,...';
    case 'ids':
      return 'id,...';
    case 'words':
    case 'integers':
      return 'word,...';
    case 'choice':
      return 'word';
    case 'integer':
    case 'decimal':
    case 'numeric_text':
      return 'number';
    case 'date':
      return 'date';
    case 'timestamp':
      return 'moment';
    case 'hour':
      return 'hour';
    case 'ring':
    case 'object':
    case 'objects':
      return 'json';
    default:
      return 'text';
  }
}

/** What it is, its unit and its allowed words. */
export function describeField(field: Field): string {
  const { about = '', unit, allowed, nullable } = field.traits;
  const words = typedWords(field);
  const notes = [
    unit && `in ${unit}`,
    words.length > 0 && words.join(' | '),
    allowed && (allowed.length > 6 ? `${allowed.slice(0, 3).join(', ')}, … and more` : allowed.join(' | ')),
    nullable && 'can be cleared',
  ].filter(Boolean);
  return notes.length > 0 ? `${about} [${notes.join('; ')}]` : about;
}

export function describeFilter(field: Field): string {
  const words = typedWords(field);
  const list = words.length > 0 ? ` [${words.join(' | ')}; several with commas]` : '';
  return (field.traits.about ?? '') + list;
}

/** How several values are told apart on the command line. */
export const commaAdvice =
  'Several values go with commas between; one that holds a comma goes in quotes: \'@"Last, First",@VIP\'';

/** Whether it has a flag for several records, whose names can hold commas. */
export function takesNames({ effect, resource, body }: Operation): boolean {
  const kinds = effect === 'list' ? ['one', 'many'] : ['many', 'ids'];
  const fields =
    effect === 'list' ? resource.filters.map(({ value }) => value) : body.map(({ field }) => field);
  return fields.some(({ kind }) => kinds.includes(kind));
}
