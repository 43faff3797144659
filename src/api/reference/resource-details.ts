/** Collects the details of a resource and its operations from the contract. */
import { isComposite, verbsOf } from '../contract/composite.ts';
import { includableAfter, sortableFields } from '../contract/include.ts';
import type { Operation } from '../contract/operation.ts';
import type { Group, Resource } from '../contract/resource.ts';
import type { Scope } from '../contract/scope.ts';
import { formatExample } from './examples.ts';
import { type FieldDetails, fieldDetails } from './field-details.ts';
import { everyField } from './field-location.ts';
import { type FilterDetails, filterDetails } from './filter-details.ts';
import { operationSummary } from './operation-summary.ts';
import { describeField, flagTerm } from './value-descriptions.ts';

/** The details of a resource. The keys are those of `boh explain -o json`. */
export interface ResourceDetails {
  name: string;
  /** The singular: "inventory item". */
  noun: string;
  summary: string;
  group: Group;
  path: string;
  /** The filters that `@VALUE` tries, in this order. */
  natural_key: readonly string[];
  commands: OperationDetails[];
  /** Includes the fields of links and nested fields. */
  fields: FieldDetails[];
  filters: FilterDetails[];
  includes: string[];
  sorts: string[];
}

/** The details of an operation. The keys are those of `boh explain -o json`. */
export interface OperationDetails {
  command: string;
  about: string;
  /** Null for a composite verb. */
  method: string | null;
  path: string | null;
  /** The operations of a composite verb. */
  made_of: readonly string[];
  /** The alternative scopes: any of them is sufficient. Empty if the API document lists none. */
  scopes: readonly Scope[];
  input: InputDetails[];
  example: string;
}

/** A field that an operation accepts. */
export interface InputDetails {
  name: string;
  /** Null for secrets. */
  flag: string | null;
  about: string;
  required: boolean;
}

export function resourceDetails(resource: Resource): ResourceDetails {
  return {
    name: resource.command,
    noun: resource.noun,
    summary: resource.summary,
    group: resource.group,
    path: resource.path,
    natural_key: resource.key,
    commands: verbsOf(resource).map(operationDetails),
    fields: everyField(resource).map(fieldDetails),
    filters: resource.filters.map(filterDetails),
    includes: includableAfter(resource, []) ?? [],
    sorts: sortableFields(resource),
  };
}

export function operationDetails(operation: Operation): OperationDetails {
  const { command, method, path, scopes, body, effect } = operation;
  const isSingleRequest = !isComposite(operation);
  return {
    command,
    about: operationSummary(operation),
    method: isSingleRequest ? method : null,
    path: isSingleRequest ? path : null,
    made_of: isSingleRequest ? [] : operation.steps.map((step) => step.command),
    scopes,
    input: body.map(({ name, field, mustBeSent }) => ({
      name,
      flag: field.traits.secret ? null : flagTerm(name, field),
      about: describeField(field, { isNew: effect === 'create' }),
      required: mustBeSent,
    })),
    example: formatExample(operation),
  };
}
