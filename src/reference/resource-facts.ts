/** All that the contract says of a resource, and of each of its operations. */
import { isComposite, verbsOf } from '../contract/composite.ts';
import { includableAfter, sortable } from '../contract/include.ts';
import type { Operation } from '../contract/operation.ts';
import type { Group, Resource } from '../contract/resource.ts';
import type { Scope } from '../contract/scope.ts';
import { exampleLine } from './examples.ts';
import { type FieldFacts, fieldFacts } from './field-facts.ts';
import { everyField } from './field-place.ts';
import { type FilterFacts, filterFacts } from './filter-facts.ts';
import { summaryOf } from './operation-words.ts';
import { describeField, flagTerm } from './value-words.ts';

/** Keys are written as scripts read them, from `boh explain -o json`. */
export interface ResourceFacts {
  name: string;
  /** One of its records, in sentences: "inventory item". */
  noun: string;
  summary: string;
  group: Group;
  path: string;
  /** Filters that `@VALUE` tries, in this order. */
  natural_key: readonly string[];
  commands: OperationFacts[];
  /** With what their links and nested fields hold. */
  fields: FieldFacts[];
  filters: FilterFacts[];
  includes: string[];
  sorts: string[];
}

export interface OperationFacts {
  command: string;
  about: string;
  /** Null for a verb that is several operations. */
  method: string | null;
  path: string | null;
  /** Which those are. */
  made_of: readonly string[];
  /** Any one of them is enough; none where the document shows none. */
  scopes: readonly Scope[];
  input: InputFacts[];
  example: string;
}

export interface InputFacts {
  name: string;
  /** Null for secrets: see the field. */
  flag: string | null;
  about: string;
  required: boolean;
}

export function resourceFacts(resource: Resource): ResourceFacts {
  return {
    name: resource.command,
    noun: resource.noun,
    summary: resource.summary,
    group: resource.group,
    path: resource.path,
    natural_key: resource.key,
    commands: verbsOf(resource).map(operationFacts),
    fields: everyField(resource).map(fieldFacts),
    filters: resource.filters.map(filterFacts),
    includes: includableAfter(resource, []) ?? [],
    sorts: sortable(resource),
  };
}

export function operationFacts(operation: Operation): OperationFacts {
  const { command, method, path, scopes, body, effect } = operation;
  const isOne = !isComposite(operation);
  return {
    command,
    about: summaryOf(operation),
    method: isOne ? method : null,
    path: isOne ? path : null,
    made_of: isOne ? [] : operation.steps.map((each) => each.command),
    scopes,
    input: body.map(({ name, field, mustBeGiven }) => ({
      name,
      flag: field.traits.secret ? null : flagTerm(name, field),
      about: describeField(field, { isNew: effect === 'create' }),
      required: mustBeGiven,
    })),
    example: exampleLine(operation),
  };
}
