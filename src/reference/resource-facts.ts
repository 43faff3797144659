/** Collects everything that the contract says about a resource and its operations. */
import { isComposite, verbsOf } from '../contract/composite.ts';
import { includableAfter, sortableFields } from '../contract/include.ts';
import type { Operation } from '../contract/operation.ts';
import type { Group, Resource } from '../contract/resource.ts';
import type { Scope } from '../contract/scope.ts';
import { exampleLine } from './examples.ts';
import { type FieldFacts, fieldFacts } from './field-facts.ts';
import { everyField } from './field-place.ts';
import { type FilterFacts, filterFacts } from './filter-facts.ts';
import { summaryOf } from './operation-words.ts';
import { describeField, flagTerm } from './value-words.ts';

/** The facts about a resource. The keys are those of `boh explain -o json`. */
export interface ResourceFacts {
  name: string;
  /** The singular: "inventory item". */
  noun: string;
  summary: string;
  group: Group;
  path: string;
  /** Filters that `@VALUE` tries, in this order. */
  natural_key: readonly string[];
  commands: OperationFacts[];
  /** Includes the fields of links and nested fields. */
  fields: FieldFacts[];
  filters: FilterFacts[];
  includes: string[];
  sorts: string[];
}

/** The facts about an operation. */
export interface OperationFacts {
  command: string;
  about: string;
  /** Null for a composite verb. */
  method: string | null;
  path: string | null;
  /** The operations of a composite verb. */
  made_of: readonly string[];
  /** Scopes of which any one is enough; empty if the document shows none. */
  scopes: readonly Scope[];
  input: InputFacts[];
  example: string;
}

/** A field that an operation accepts. */
export interface InputFacts {
  name: string;
  /** Null for secrets. */
  flag: string | null;
  about: string;
  required: boolean;
}

/** Returns the facts about a resource. */
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
    sorts: sortableFields(resource),
  };
}

/** Returns the facts about an operation. */
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
    input: body.map(({ name, field, mustBeSent }) => ({
      name,
      flag: field.traits.secret ? null : flagTerm(name, field),
      about: describeField(field, { isNew: effect === 'create' }),
      required: mustBeSent,
    })),
    example: exampleLine(operation),
  };
}
