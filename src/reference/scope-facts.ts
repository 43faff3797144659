/** What each scope opens: the commands that need it, and the fields that it shows or lets change. */
import { operations } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { type Scope, scopeNames, scopes } from '../contract/scope.ts';
import { everyField } from './field-place.ts';
import { commandName } from './names.ts';

export interface ScopeFacts {
  scope: Scope;
  about: string;
  commands: string[];
  /** Fields that only tokens with this scope are shown. */
  shows: string[];
  /** Fields, or some of their values, that only tokens with this scope can write. */
  changes: string[];
}

export function scopeFacts(scope: Scope, resources: readonly Resource[]): ScopeFacts {
  const all = resources.flatMap(operations);
  const fields = resources.flatMap(everyField);
  const named = (chosen: typeof fields) =>
    chosen.map(({ resource, path }) => [resource.command, ...path].join('.'));
  return {
    scope,
    about: scopes[scope],
    commands: all.filter((it) => it.scopes.includes(scope)).map(commandName),
    shows: named(fields.filter(({ field }) => field.traits.readScope === scope)),
    changes: named(fields.filter(({ field }) => field.traits.writeScope === scope)),
  };
}

export function allScopeFacts(resources: readonly Resource[]): ScopeFacts[] {
  return scopeNames.map((scope) => scopeFacts(scope, resources));
}
