/** Finds the subjects of `boh explain`, by name or by search. */
import type { Api } from '../contract/api.ts';
import { verbsOf } from '../contract/composite.ts';
import type { Filter } from '../contract/filter.ts';
import type { Operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { type Scope, scopeNames, scopes } from '../contract/scope.ts';
import { inputWords } from '../contract/value-text.ts';
import { type FailureCategory, failureCategories } from './failure-categories.ts';
import { everyField, type FieldLocation, fieldAt } from './field-location.ts';
import { operationSummary } from './operation-summary.ts';
import { findTopic, type Topic, topics } from './topics.ts';

/** Something that `boh explain` describes. */
export type Subject =
  | { kind: 'topic'; topic: Topic }
  | { kind: 'failure'; failure: FailureCategory }
  | { kind: 'scope'; scope: Scope }
  | { kind: 'resource'; resource: Resource }
  | { kind: 'operation'; operation: Operation }
  | { kind: 'field'; location: FieldLocation }
  | { kind: 'filter'; resource: Resource; filter: Filter };

/** Finds a subject by its name: `customers`, `customers.gender`, `customers.create`, `customers.has_orders`, `users.read`, `errors`, `refused`, `6`. */
export function findSubject(name: string, api: Api): Subject | undefined {
  const topic = findTopic(name);
  if (topic) return { kind: 'topic', topic };
  const scope = scopeNames.find((candidate) => candidate === name);
  if (scope) return { kind: 'scope', scope };
  const failure = failureCategories.find(
    ({ category, exit_code }) => name === category || name === String(exit_code),
  );
  if (failure) return { kind: 'failure', failure };
  const [first = '', ...remainingPath] = name.split('.').filter(Boolean);
  const resource = api.findResource(first);
  if (!resource) return undefined;
  return remainingPath.length === 0
    ? { kind: 'resource', resource }
    : findInResource(resource, remainingPath);
}

function findInResource(resource: Resource, remainingPath: readonly string[]): Subject | undefined {
  const operation = verbsOf(resource).find(({ verb }) => verb === remainingPath.join('-'));
  if (operation) return { kind: 'operation', operation };
  const path = remainingPath.map((part) => part.replace(/^--/, '').replaceAll('-', '_'));
  const filter = resource.filters.find(({ name }) => name === path.join('.'));
  // `items.id` is a filter of suppliers and not the ID of an item.
  if (filter && path.length > 1) return { kind: 'filter', resource, filter };
  const location = fieldAt(resource, path);
  return location ? { kind: 'field', location } : filter && { kind: 'filter', resource, filter };
}

/** A subject in lists and search results. */
export interface SubjectEntry {
  /** The name to type after `boh explain`. */
  name: string;
  about: string;
  /** Other words that a search matches: the words of an enumeration. */
  words?: readonly string[];
}

/** Returns all subjects, in the order of the contract. */
export function listSubjects(api: Api): SubjectEntry[] {
  return [
    ...topics.map(({ name, summary }) => ({ name, about: summary })),
    ...failureCategories.map(({ category, when }) => ({ name: category, about: when })),
    ...scopeNames.map((name) => ({ name, about: scopes[name] })),
    ...api.resources.flatMap(entriesOf),
  ];
}

function entriesOf(resource: Resource): SubjectEntry[] {
  const fields = everyField(resource).map(({ path, field }) => ({ path: path.join('.'), field }));
  const filters = resource.filters;
  return [
    { name: resource.command, about: resource.summary },
    ...verbsOf(resource).map((operation) => ({
      name: operation.command.replace(' ', '.'),
      about: operationSummary(operation),
    })),
    ...fields.map(({ path, field }) => ({
      name: `${resource.command}.${path}`,
      about: field.traits.description ?? '',
      words: [...inputWords(field), ...(field.traits.allowed ?? [])],
    })),
    ...filters
      .filter(({ name }) => name.includes('.') || !fieldAt(resource, [name]))
      .map(({ name, value }) => ({
        name: `${resource.command}.${name}`,
        about: value.traits.description ?? '',
      })),
  ];
}

/** Returns the entries that contain all words of the query; those with all of them in the name come first. */
export function searchSubjects(query: string, api: Api): SubjectEntry[] {
  const words = query
    .toLowerCase()
    .split(/[\s_.-]+/)
    .filter(Boolean);
  if (words.length === 0) return [];
  const containsWords = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const matches = listSubjects(api).filter(({ name, about, words: otherWords = [] }) =>
    containsWords(`${name} ${about} ${otherWords.join(' ')}`),
  );
  return [
    ...matches.filter(({ name }) => containsWords(name)),
    ...matches.filter(({ name }) => !containsWords(name)),
  ];
}
