/** A resource: its path, its fields and the operations that the document lists for it, declared as data. */
import type { Field, Fields } from './field.ts';
import { boolean, date, text, timestamp } from './field.ts';
import type { Filter, FilterRule } from './filter.ts';
import { filterOn } from './filter.ts';
import type { Scope } from './scope.ts';

/** How the root help and the reference sort the resources, as people think of them. */
export type Group = 'menu' | 'customers' | 'people' | 'inventory' | 'loyalty' | 'account';

/** Scopes of which any one is enough; none where the document shows none. */
export type AnyScope = Scope | readonly Scope[];

/** A link between two records with an address of its own: POST sets it, DELETE removes it. */
export interface Link {
  /** The field that shows the linked records; its pivot holds what the body sets. */
  field: string;
  scope: AnyScope;
  /** What the link is, in one sentence. */
  about: string;
  /** Pivot fields that the POST takes; those it can't do without are `required` in the pivot. */
  body: readonly string[];
  /** The name of the second id in the document's path: `inventoryItemId`. */
  param: string;
  /** The natural key of a record at the other end, where it must be another than the one that is known. */
  known?: string;
}

/** A single operation that is none of the usual ones. */
export interface Action {
  scope: AnyScope;
  about: string;
  method: 'GET';
  body: readonly string[];
}

interface Access {
  scope: AnyScope;
}
interface Writes<Name extends string> extends Access {
  body: readonly Name[];
}

const common = {
  id: { value: text().about('The record’s id'), on: 'id', match: 'equals' },
  updated_after: filterOn('updated_at', 'after', timestamp().about('Changed after this moment')),
  is_deleted: { value: boolean().about('Deleted records instead of active ones'), match: 'deleted' },
  created_on: filterOn('created_at', 'on_day', date().about('Created on this day (UTC)')),
  updated_on: filterOn('updated_at', 'on_day', date().about('Last changed on this day (UTC)')),
  deleted_on: filterOn('deleted_at', 'on_day', date().about('Deleted on this day (UTC)')),
} satisfies Record<string, FilterRule>;

type BodyName<F extends Fields> = Extract<keyof F, string> | `${Extract<keyof F, string>}_id`;
type FilterName<F extends Fields, R> =
  | BodyName<F>
  | `${Extract<keyof F, string>}.id`
  | Extract<keyof R, string>
  | keyof typeof common;

export interface Declaration<F extends Fields, R extends Readonly<Record<string, FilterRule>>> {
  /** `/inventory_items`; the last part names the resource. */
  path: string;
  /** The singular, in kebab case. */
  one: string;
  /** Another name that people may type for it, in the plural. */
  alias?: string;
  group: Group;
  summary: string;
  /** The document's name for the id in paths, where it is not the singular with `Id` behind it. */
  param?: string;
  /** The natural key: filters that `@VALUE` tries, in this order. */
  key: readonly FilterName<F, R>[];
  /** A value of the natural key (or an id, where there is none) that the demo business holds. */
  known: string;
  /** The part of the natural key that `known` is a value of, where it is not the first. */
  knownBy?: FilterName<F, R>;
  fields: F;
  /** Columns of the table that a person sees without asking. */
  columns: readonly string[];
  /** Filters that are more than a field's name. */
  filterRules?: R;
  list?: Access & { filters: readonly FilterName<F, R>[] };
  get?: Access;
  create?: Writes<BodyName<F>>;
  update?: Writes<BodyName<F>>;
  delete?: Access;
  restore?: Access;
  /** By verb suffix: `ingredient` makes `link-ingredient` and `unlink-ingredient`. */
  links?: Readonly<Record<string, Link>>;
  /** By verb. */
  actions?: Readonly<Record<string, Action>>;
  /** One record without an id: `whoami`. */
  singleton?: true;
  /** What no single field can tell; answers messages by field. Sees only what is being sent. */
  check?: (input: Readonly<Record<string, unknown>>) => Record<string, string[]>;
}

export interface Resource extends Omit<Declaration<Fields, Readonly<Record<string, FilterRule>>>, 'list'> {
  /** The API's own name, snake case plural: `inventory_items`. */
  name: string;
  /** The name on the command line: `inventory-items`. */
  command: string;
  param: string;
  list?: Access & { filters: readonly Filter[] };
}

/** Completes a declaration with what follows from it. The types refuse a body or filter name that is no field. */
export function resource<const F extends Fields, const R extends Readonly<Record<string, FilterRule>>>(
  declaration: Declaration<F, R>,
): Resource & { fields: F } {
  const { list, ...rest } = declaration;
  const name = declaration.path.slice(1);
  return {
    ...rest,
    name,
    command: name.replaceAll('_', '-'),
    param: declaration.param ?? `${camelCase(declaration.one)}Id`,
    ...(list && {
      list: { ...list, filters: list.filters.map((filter) => filterNamed(declaration, filter)) },
    }),
  };
}

/** The field behind a name in a request body: `category_id` is the relation `category`. */
export function bodyField(fields: Fields, name: string): Field | undefined {
  const field = fields[name];
  if (field) return field;
  const relation = name.endsWith('_id') ? fields[name.slice(0, -3)] : undefined;
  return relation?.kind === 'one' ? relation : undefined;
}

/** As people may write it: the command, the singular, the alias, or the API's own name. */
export function resourceCalled(name: string, resources: readonly Resource[]): Resource | undefined {
  return resources.find((it) => [it.command, it.one, it.alias, it.name].includes(name));
}

/** The scopes of which any one is enough. */
export function scopesOf(access: Access): readonly Scope[] {
  return typeof access.scope === 'string' ? [access.scope] : access.scope;
}

function filterNamed(
  { fields, filterRules }: { fields: Fields; filterRules?: Readonly<Record<string, FilterRule>> },
  name: string,
): Filter {
  const rule = filterRules?.[name] ?? (common as Record<string, FilterRule>)[name];
  if (rule) return { name, ...rule };
  const relation = name.endsWith('.id') ? name.slice(0, -3) : undefined;
  const value = relation ? fields[relation] : bodyField(fields, name);
  if (!value) throw new Error(`${name} is neither a field nor a filter rule`);
  const on = relation ?? (fields[name] ? name : name.slice(0, -3));
  return { name, value, on, match: value.traits.searched ? 'contains' : 'equals' };
}

function camelCase(kebab: string): string {
  return kebab.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
