/** The API’s own filters as conditions on a mirror’s tables. */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Field } from '../../contract/field.ts';
import type { Filter } from '../../contract/filter.ts';
import { splitList } from '../../contract/list-text.ts';
import { usage } from '../../errors.ts';
import type { Child } from '../schema/children.ts';
import type { Mirrored } from '../schema/derive.ts';
import { farColumn, idColumn } from '../schema/table.ts';
import type { Tables } from '../stores/store.ts';
import { inverseOf } from './inverse.ts';

type Builder = ExpressionBuilder<Tables, string>;
type Condition = (builder: Builder) => Expression<SqlBool>;

/** Throws a usage failure that names every filter that a copy can’t answer. */
export function conditionsFor(mirrored: Mirrored, filters: Readonly<Record<string, string>>): Condition[] {
  const made: Condition[] = [];
  const wrong: string[] = [];
  for (const [name, value] of Object.entries(filters)) {
    const filter = mirrored.resource.filters.find((each) => each.name === name);
    const condition = filter && conditionFor(mirrored, filter, value);
    if (condition) made.push(condition);
    else wrong.push(name);
  }
  if (wrong.length > 0) {
    throw usage(
      `A copy can’t answer the filter ${wrong.join(' or ')}: the document doesn’t say what it means.`,
      {
        hint: 'Ask the account: leave --mirror out.',
      },
    );
  }
  const showsDeleted = mirrored.main.columns.some(({ name }) => name === 'deleted_at');
  if (showsDeleted && filters.is_deleted !== 'true') made.push((eb) => eb('deleted_at', 'is', null));
  return made;
}

function conditionFor(
  mirrored: Mirrored,
  { on, match, value: { kind } }: Filter,
  value: string,
): Condition | undefined {
  // Whether deleted ones are among them is said once, for all lists.
  if (match === 'deleted') return (eb) => eb.lit(true) as unknown as Expression<SqlBool>;
  if (on === undefined || match === 'unknown') return undefined;
  const { main, children, resource } = mirrored;
  const inverse = inverseCondition(mirrored, resource.fields[on], splitList(value));
  if (inverse && match === 'equals') return inverse;
  const own = main.columns.find(({ name }) => name === on || name === `${on}_id`);
  const child = children.find(({ table }) => table.name === `${main.name}_${on.replaceAll('.', '_')}`);
  if (match === 'any') return anyCondition(mirrored, own?.name, child, value === 'true');
  if (!own) return child && match === 'equals' ? linkCondition(mirrored, child, splitList(value)) : undefined;
  const { name } = own;
  const cells = kind === 'boolean' ? [value === 'true' || value === '1' ? 1 : 0] : splitList(value);
  switch (match) {
    case 'equals':
      return (eb) => eb(name, 'in', cells);
    case 'contains':
      return (eb) => eb(eb.fn('lower', [name]), 'like', `%${literal(value.toLowerCase())}%`);
    case 'after':
      return (eb) => eb(name, '>', value);
    case 'before':
      return (eb) => eb(name, '<', value);
    case 'on_day':
      return (eb) => eb.and([eb(name, '>=', `${value} 00:00:00`), eb(name, '<=', `${value} 23:59:59`)]);
  }
}

/** The characters that stand for others in a pattern can’t be told from themselves: one of any kind is taken for them. */
function literal(text: string): string {
  return text.replaceAll(/[%_\\]/g, '_');
}

function anyCondition(
  mirrored: Mirrored,
  own: string | undefined,
  child: Child | undefined,
  isThere: boolean,
): Condition | undefined {
  if (child) {
    const owner = child.table.owner ?? idColumn;
    return (eb) => {
      const owners = eb.selectFrom(child.table.name).select(owner);
      return eb(`${mirrored.main.name}.${idColumn}`, isThere ? 'in' : 'not in', owners);
    };
  }
  if (own === undefined) return undefined;
  return (eb) => (isThere ? eb(own, '>', 0) : eb.or([eb(own, 'is', null), eb(own, '=', 0)]));
}

/** A link that the other side’s table holds. */
function inverseCondition(
  { main, resource }: Mirrored,
  field: Field | undefined,
  ids: readonly string[],
): Condition | undefined {
  const inverse = inverseOf(resource, field);
  if (!inverse) return undefined;
  const { table, other, own } = inverse;
  return (eb) =>
    eb(
      `${main.name}.${idColumn}`,
      'in',
      eb
        .selectFrom(table.name)
        .select(own)
        .where(other, 'in', [...ids]),
    );
}

function linkCondition({ main }: Mirrored, { table }: Child, ids: readonly string[]): Condition | undefined {
  const { owner } = table;
  const far = farColumn(table);
  if (owner === undefined || far === undefined) return undefined;
  return (eb) =>
    eb(
      `${main.name}.${idColumn}`,
      'in',
      eb
        .selectFrom(table.name)
        .select(owner)
        .where(far, 'in', [...ids]),
    );
}
