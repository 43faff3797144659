/** Creates resources from declarations: path, fields and operations, as data. */
import { once } from '../../base/once.ts';
import { boolean, date, Field, type Fields, text, timestamp, type Words, withoutPrototype } from './field.ts';
import { type Filter, type FilterRule, fieldFilter } from './filter.ts';
import type { Pictures } from './pictures.ts';
import type { Scope } from './scope.ts';

/** The groups of resources in the root help and the reference. */
export type Group = 'menu' | 'customers' | 'people' | 'inventory' | 'loyalty' | 'account';

/** One scope or several alternatives: a token needs one of them. Empty if the API document lists none. */
export type AnyScope = Scope | readonly Scope[];

/** A link between two records that has its own URL: POST sets it, DELETE removes it. */
export interface Link {
  /** The field with the linked records. The POST takes the writable fields of its pivot. */
  field: string;
  scope: AnyScope;
  /** Describes the link after "Set" or "Remove": "an ingredient of an inventory item". */
  description: string;
  /** The name of the second ID in the path, as in the API document: `inventoryItemId`. */
  param: string;
  /** The natural key of an example record to link, where the first example can't be used. */
  exampleKey?: string;
  /** The prompts for the two records, if both have the same noun. */
  questions?: readonly [record: string, linkedRecord: string];
}

/** An operation on one record other than get, create, update, delete and restore. */
export interface Action {
  scope: AnyScope;
  /** One sentence for help and the reference. */
  description: string;
  method: 'GET';
  /** The method that some deployments use instead, with a body instead of the query. */
  alternate?: 'PUT';
  /** The past participle for messages: "redeemed". */
  pastTense: string;
  /** Returns the parameters of the action. */
  fields: () => Fields;
}

/** How a list continues after its last page: with a filter for records after the last one, in the order of a field. */
export interface Cursor {
  /** The field that the list is sorted by; each record has another value. */
  field: string;
  /** The filter for records with a larger value of the field. */
  filter: string;
  /** The number of pages after which the service ends a list. */
  maxPages: number;
}

/** What a deployment adds to a resource. Each name must be a field of the resource or one of `fields`. */
export interface ResourceExtension {
  /** Fields that the API document doesn't have. */
  fields?: () => Fields;
  /** Filters that are named after a field. */
  filters?: readonly string[];
  /** Filters that aren't named after a field. */
  filterRules?: () => Rules;
  /** More fields to sort lists by; fields that the resource doesn't have are ignored. */
  sorts?: readonly string[];
  /** More relations that requests can include. */
  includes?: readonly string[];
  /** More words, by field. */
  words?: Readonly<Record<string, readonly string[]>>;
  /** More numbers with a word for each, by field. */
  numbers?: Readonly<Record<string, Words>>;
}

/** The scopes that an operation requires. */
export interface Access {
  scope: AnyScope;
}

const commonFilterRules = once(
  () =>
    ({
      id: { value: text().describe('Record ID'), on: 'id', match: 'equals' },
      updated_after: fieldFilter('updated_at', 'after', timestamp().describe('Changed after this time')),
      is_deleted: { value: boolean().describe('Include deleted records'), match: 'deleted' },
      created_on: fieldFilter('created_at', 'on_day', date().describe('Created on this day (UTC)')),
      updated_on: fieldFilter('updated_at', 'on_day', date().describe('Last changed on this day (UTC)')),
      deleted_on: fieldFilter('deleted_at', 'on_day', date().describe('Deleted on this day (UTC)')),
    }) satisfies Record<string, FilterRule>,
);

type BodyName<F extends Fields> = Extract<keyof F, string> | `${Extract<keyof F, string>}_id`;
type FilterName<F extends Fields, R> =
  | BodyName<F>
  | `${Extract<keyof F, string>}.id`
  | Extract<keyof R, string>
  | keyof ReturnType<typeof commonFilterRules>;

type Rules = Readonly<Record<string, FilterRule>>;

/** The properties of a declaration that don't depend on the resource's fields. */
interface CommonDeclaration {
  /** The path, for example `/inventory_items`; its last part is the API name of the resource. */
  path: string;
  /** The singular in kebab case. */
  one: string;
  /** Another name in the plural that the command line accepts. */
  alias?: string;
  /** Words that aren't names of the resource. boh suggests the resource for them. */
  searchTerms?: readonly string[];
  group: Group;
  /** One line for help and completion. */
  summary: string;
  /** The natural key of an example record in the demo business; its id if the resource has no natural key. */
  exampleKey: string;
  /** The default columns of tables. */
  columns: readonly string[];
  /** The values, by field, with which a record has taken effect. Deleting it doesn't undo the effect; creating it again repeats it. */
  effectiveWhen?: Readonly<Record<string, readonly number[]>>;
  /** The fields, named as in responses, that can't change after the record has taken effect; see `effectiveWhen`. */
  immutableFields?: readonly string[];
  /** The values, by field, that have no effect yet but from which a record can't return to an earlier value. */
  irreversibleValues?: Readonly<Record<string, readonly number[]>>;
  get?: Access;
  /** The creation, which accepts fields that are writable or immutable. */
  create?: Access;
  /** The update, which accepts fields that are writable or updatable. */
  update?: Access;
  delete?: Access;
  restore?: Access;
  /** Links by verb suffix: `ingredient` adds the verbs `link-ingredient` and `unlink-ingredient`. */
  links?: Readonly<Record<string, Link>>;
  actions?: Readonly<Record<string, Action>>;
  /** The pictures that boh can draw of its records. */
  pictures?: Pictures;
  /** The price lists that its records send. */
  priceLists?: PriceLists;
  /** Whether the records are transactions, such as stock counts, and not configuration of the business. `pull` omits them. */
  transactional?: true;
  /** Whether subscribed users are notified when a record is created (API document: "Events"). */
  notifiesUsers?: true;
  /** Whether the resource is a single record without an id, which describes the signed-in user: `whoami`. */
  singleton?: true;
  /** Whether the resource isn't part of the API document: some deployments have it, others answer 404. */
  undocumented?: true;
  /** How a list continues that the service ends after some pages. */
  cursor?: Cursor;
}

/** A resource as declared. Fields and filter rules are functions, called only for resources that a command uses. */
export interface Declaration<F extends Fields = Fields, R extends Rules = Rules> extends CommonDeclaration {
  /** The name of the ID in paths, as in the API document. Default: the singular followed by `Id`. */
  param?: string;
  /** The natural key: the filters that `@VALUE` tries, in this order. */
  key: readonly FilterName<F, R>[];
  /** The part of the natural key that `exampleKey` belongs to. Default: the first. */
  exampleKeyField?: FilterName<F, R>;
  fields: () => F;
  /** The filters that aren't named after a field. */
  filterRules?: () => R;
  list?: Access & { filters: readonly FilterName<F, R>[] };
}

/** A resource with all properties that are derived from its declaration. */
export interface Resource<F extends Fields = Fields> extends CommonDeclaration {
  /** The API's name, a plural in snake case: `inventory_items`. */
  readonly name: string;
  /** The name on the command line: `inventory-items`. */
  readonly command: string;
  /** The singular for sentences: "inventory item". */
  readonly noun: string;
  /** The plural for sentences: "inventory items". */
  readonly nouns: string;
  readonly param: string;
  readonly key: readonly string[];
  readonly exampleKeyField?: string;
  /** The id of the example record in the demo business, for example `supplier-1`. */
  readonly exampleId: string;
  readonly fields: F;
  readonly filterRules: Rules;
  /** The scopes of the list; `filters` has its filters. */
  readonly list?: Access;
  /** The filters of the list in the order of the API document; empty if there is no list. */
  readonly filters: readonly Filter[];
  /** The field that identifies a record to people: name, reference, code or SKU. */
  readonly title: string | undefined;
}

/** Creates a resource from its declaration. A filter that is neither a field nor a rule doesn't compile. */
export function resource<const F extends Fields, const R extends Rules>(
  declaration: Declaration<F, R>,
): Resource<F> {
  const { list, fields: createFields, filterRules: createRules, ...properties } = declaration;
  const name = declaration.path.slice(1);
  const command = name.replaceAll('_', '-');
  const fields = once(() => withoutPrototype(createFields()));
  const rules = once<Rules>(() => withoutPrototype(createRules?.() ?? {}));
  const filters = once(() => (list?.filters ?? []).map((filter) => createFilter(fields(), rules(), filter)));
  // Properties that all resources have come first, so that the engine uses one object shape for all of them.
  return {
    name,
    command,
    noun: declaration.one.replaceAll('-', ' '),
    nouns: command.replaceAll('-', ' '),
    exampleId: declaration.key.length === 0 ? declaration.exampleKey : `${declaration.one}-1`,
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
      return titleField(fields());
    },
    ...properties,
    param: declaration.param ?? `${camelCase(declaration.one)}Id`,
    ...(list && { list: { scope: list.scope } }),
  };
}

/** Returns the resource with the additions of a deployment. The result belongs to no API until `defineApi` is called with it. */
export function extendResource(base: Resource, extension: ResourceExtension = {}): Resource {
  const { filters: names = [], filterRules, sorts = [], includes = [], words = {}, numbers = {} } = extension;
  const fields = once(() => {
    const extended: Record<string, Field> = { ...base.fields, ...extension.fields?.() };
    const change = (name: string, changed: (field: Field) => Field) => {
      const field = extended[name];
      if (!field) throw new Error(`${base.name} has no field ${name}`);
      extended[name] = changed(field);
    };
    for (const name of sorts) if (extended[name]) change(name, (field) => field.sortable());
    for (const name of includes) change(name, (field) => field.includable());
    for (const [name, added] of Object.entries(words))
      change(name, ({ traits }) => new Field({ ...traits, allowed: [...(traits.allowed ?? []), ...added] }));
    for (const [name, added] of Object.entries(numbers))
      change(name, ({ traits: { words, creatable, ...traits } }) => {
        const all = creatable && { creatable: [...creatable, ...Object.values(added)] };
        return new Field({ ...traits, ...all, words: withoutPrototype({ ...words, ...added }) });
      });
    return withoutPrototype(extended);
  });
  const rules = once<Rules>(() => withoutPrototype({ ...base.filterRules, ...filterRules?.() }));
  const filters = once(() => [
    ...base.filters,
    ...[...names, ...Object.keys(filterRules?.() ?? {})].map((name) => createFilter(fields(), rules(), name)),
  ]);
  const derived = (get: () => unknown) => ({ get, enumerable: true });
  return Object.defineProperties({} as Resource, {
    ...Object.getOwnPropertyDescriptors(base),
    fields: derived(fields),
    filterRules: derived(rules),
    filters: derived(filters),
  });
}

/** Fields that identify a record to people, in order of preference. */
export const titleFields: readonly string[] = ['name', 'reference', 'code', 'sku'];

/** Returns the first of `titleFields` that the fields contain; undefined if they contain none. */
export function titleField(fields: Fields): string | undefined {
  return titleFields.find((title) => Object.hasOwn(fields, title));
}

/** Returns the field for a name in a request body. `category_id` is the relation `category`. */
export function bodyField(fields: Fields, name: string): Field | undefined {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field) return field;
  const relation = name.endsWith('_id') ? name.slice(0, -3) : '';
  const related = Object.hasOwn(fields, relation) ? fields[relation] : undefined;
  return related?.kind === 'one' ? related : undefined;
}

/** Returns the resource that a word from the command line names: its command, singular, alias or API name. */
export function findResource(word: string, resources: readonly Resource[]): Resource | undefined {
  return resources.find(({ command, one, alias, name }) => [command, one, alias, name].includes(word));
}

/** Returns the alternative scopes of an operation: a token needs one of them. */
export function scopesOf(access: Access): readonly Scope[] {
  return typeof access.scope === 'string' ? [access.scope] : access.scope;
}

function createFilter(fields: Fields, rules: Rules, name: string): Filter {
  const rule = rules[name] ?? (commonFilterRules() as Rules)[name];
  if (rule) return { name, ...rule };
  const relation = name.endsWith('.id') ? name.slice(0, -3) : undefined;
  const value = relation ? fields[relation] : bodyField(fields, name);
  if (!value) throw new Error(`${name} is neither a field nor a filter rule`);
  const on = relation ?? (fields[name] ? name : name.slice(0, -3));
  return { name, value, on, match: value.traits.matchesParts ? 'contains' : 'equals' };
}

function camelCase(kebab: string): string {
  return kebab.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The price lists that a record sends: the link with the prices, and fields of the link and of the linked records. */
export interface PriceLists {
  /** The link, by verb suffix: `item`. */
  link: string;
  /** The fields of the link with the price, the sender's code, the unit of the price, and the storage units in it. */
  cost: string;
  code: string;
  unit: string;
  factor: string;
  /** The fields that identify a linked record in a list, in the order in which they are tried. */
  keys: readonly string[];
  /** The fields of a linked record with its storage unit, and with its cost if `fixedCost` applies. */
  storageUnit: string;
  itemCost: string;
  fixedCost: { field: string; value: number };
  /** The document that changes the costs of linked records: its resource, its links to them, and the cost in these. */
  adjustment: { resource: string; items: string; cost: string };
}
