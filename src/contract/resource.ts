/** A resource: its path, its fields and the operations that the document lists for it, declared as data. */
import { bare } from './bare.ts';
import type { Field, Fields } from './field.ts';
import { boolean, date, text, timestamp } from './field.ts';
import type { Filter, FilterRule } from './filter.ts';
import { filterOn } from './filter.ts';
import { lazy } from './lazy.ts';
import type { Pictures } from './picture.ts';
import type { Scope } from './scope.ts';

/** How the root help and the reference sort the resources, as people think of them. */
export type Group = 'menu' | 'customers' | 'people' | 'inventory' | 'loyalty' | 'account';

/** Scopes of which any one is enough; none where the document shows none. */
export type AnyScope = Scope | readonly Scope[];

/** A link between two records with an address of its own: POST sets it, DELETE removes it. */
export interface Link {
  /** The field that shows the linked records; what the POST takes are the writable fields of its pivot. */
  field: string;
  scope: AnyScope;
  /** What the link is, in one sentence. */
  about: string;
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
  /** The method that some deployments take in its place, with a body instead of a query. */
  alternate?: 'PUT';
  /** What was done, for messages: "redeemed". */
  done: string;
  /** What it is given. */
  fields: () => Fields;
}

export interface Access {
  scope: AnyScope;
}

const common = lazy(
  () =>
    ({
      id: { value: text().about('The record’s id'), on: 'id', match: 'equals' },
      updated_after: filterOn('updated_at', 'after', timestamp().about('Changed after this moment')),
      is_deleted: { value: boolean().about('Deleted records as well as active ones'), match: 'deleted' },
      created_on: filterOn('created_at', 'on_day', date().about('Created on this day (UTC)')),
      updated_on: filterOn('updated_at', 'on_day', date().about('Last changed on this day (UTC)')),
      deleted_on: filterOn('deleted_at', 'on_day', date().about('Deleted on this day (UTC)')),
    }) satisfies Record<string, FilterRule>,
);

type BodyName<F extends Fields> = Extract<keyof F, string> | `${Extract<keyof F, string>}_id`;
type FilterName<F extends Fields, R> =
  | BodyName<F>
  | `${Extract<keyof F, string>}.id`
  | Extract<keyof R, string>
  | keyof ReturnType<typeof common>;

type Rules = Readonly<Record<string, FilterRule>>;

/** What every declaration says in the same words, whatever its fields are. */
interface Words {
  /** `/inventory_items`; the last part names the resource. */
  path: string;
  /** The singular, in kebab case. */
  one: string;
  /** Another name that people may type for it, in the plural. */
  alias?: string;
  /** Words that people use for it: they are not taken, but known to mean it. */
  meant?: readonly string[];
  group: Group;
  summary: string;
  /** A value of the natural key (or an id, where there is none) that the demo business holds. */
  known: string;
  /** Columns of the table that a person sees without asking. */
  columns: readonly string[];
  /** By field, the values with which a record has taken effect: its contents stay, and made again it would again. */
  settled?: Readonly<Record<string, readonly number[]>>;
  /** Fields, by the names of answers, that can't be changed any more once it has taken effect: see `settled`. */
  frozen?: readonly string[];
  /** By field, values that don't take effect, and from which no update leads back to an earlier one. */
  oneWay?: Readonly<Record<string, readonly number[]>>;
  get?: Access;
  /** Takes the fields that are writable, or set at creation. */
  create?: Access;
  /** Takes the fields that are writable, or marked `updatable`. */
  update?: Access;
  delete?: Access;
  restore?: Access;
  /** By verb suffix: `ingredient` makes `link-ingredient` and `unlink-ingredient`. */
  links?: Readonly<Record<string, Link>>;
  /** By verb. */
  actions?: Readonly<Record<string, Action>>;
  /** What it can be drawn as. */
  pictures?: Pictures;
  /** What happened once, such as a stock count, rather than how the business is set up: a pull leaves it out. */
  happens?: true;
  /** Users who have asked for it are told when one is made (document: "Events"). */
  announced?: true;
  /** One record without an id, which says who is signed in: `whoami`. */
  singleton?: true;
}

/** What is made of fields is a function: it is called for the resources that a command touches, and no others. */
export interface Declaration<F extends Fields = Fields, R extends Rules = Rules> extends Words {
  /** The document's name for the id in paths, where it is not the singular with `Id` behind it. */
  param?: string;
  /** The natural key: filters that `@VALUE` tries, in this order. */
  key: readonly FilterName<F, R>[];
  /** The part of the natural key that `known` is a value of, where it is not the first. */
  knownBy?: FilterName<F, R>;
  fields: () => F;
  /** Filters that are more than a field's name. */
  filterRules?: () => R;
  list?: Access & { filters: readonly FilterName<F, R>[] };
}

export interface Resource<F extends Fields = Fields> extends Words {
  /** The API's own name, snake case plural: `inventory_items`. */
  readonly name: string;
  /** The name on the command line: `inventory-items`. */
  readonly command: string;
  /** In sentences: "inventory item", "inventory items". */
  readonly noun: string;
  readonly nouns: string;
  readonly param: string;
  readonly key: readonly string[];
  readonly knownBy?: string;
  /** The id of the known record in the demo business: `supplier-1`; `known` itself where no natural key names it. */
  readonly knownId: string;
  readonly fields: F;
  readonly filterRules: Rules;
  /** The access to the list; what it can be asked for stands in `filters`. */
  readonly list?: Access;
  /** In the document's order; none where there is no list. */
  readonly filters: readonly Filter[];
  /** The field by which people know a record: its name, else its reference or code. None where it has neither. */
  readonly title: string | undefined;
}

/** Completes a declaration with what follows from it. The types refuse a filter name that is no field. */
export function resource<const F extends Fields, const R extends Rules>(
  declaration: Declaration<F, R>,
): Resource<F> {
  const { list, fields: makeFields, filterRules: makeRules, ...rest } = declaration;
  const name = declaration.path.slice(1);
  const command = name.replaceAll('_', '-');
  const fields = lazy(() => bare(makeFields()));
  const rules = lazy<Rules>(() => bare(makeRules?.() ?? {}));
  const filters = lazy(() => (list?.filters ?? []).map((filter) => filterNamed(fields(), rules(), filter)));
  // What all resources have stands first: the engine then makes one shape for it, and not one for each of them.
  return {
    name,
    command,
    noun: declaration.one.replaceAll('-', ' '),
    nouns: command.replaceAll('-', ' '),
    knownId: declaration.key.length === 0 ? declaration.known : `${declaration.one}-1`,
    get fields() {
      return fields();
    },
    get filterRules() {
      return rules();
    },
    get filters() {
      return filters();
    },
    get title() {
      return titleIn(fields());
    },
    ...rest,
    param: declaration.param ?? `${camelCase(declaration.one)}Id`,
    ...(list && { list: { scope: list.scope } }),
  };
}

/** What people call a record by, the best first. */
export const titles: readonly string[] = ['name', 'reference', 'code', 'sku'];

/** The field that people call a record by: the first of these that it has. */
export function titleIn(fields: Fields): string | undefined {
  return titles.find((title) => Object.hasOwn(fields, title));
}

/** The field behind a name in a request body: `category_id` is the relation `category`. */
export function bodyField(fields: Fields, name: string): Field | undefined {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field) return field;
  const relation = name.endsWith('_id') ? name.slice(0, -3) : '';
  const related = Object.hasOwn(fields, relation) ? fields[relation] : undefined;
  return related?.kind === 'one' ? related : undefined;
}

/** As people may write it: the command, the singular, the alias, or the API's own name. */
export function resourceCalled(word: string, resources: readonly Resource[]): Resource | undefined {
  return resources.find((it) => [it.command, it.one, it.alias, it.name].includes(word));
}

/** The scopes of which any one is enough. */
export function scopesOf(access: Access): readonly Scope[] {
  return typeof access.scope === 'string' ? [access.scope] : access.scope;
}

function filterNamed(fields: Fields, rules: Rules, name: string): Filter {
  const rule = rules[name] ?? (common() as Rules)[name];
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
