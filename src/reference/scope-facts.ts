/** What each scope opens: the commands that need it, and the fields that it shows or lets change. */
import type { Api } from '../contract/api.ts';
import { type Scope, scopeNames, scopes } from '../contract/scope.ts';
import { everyField } from './field-place.ts';

export interface ScopeFacts {
  scope: Scope;
  about: string;
  commands: string[];
  /** Fields that only tokens with this scope are shown. */
  shows: string[];
  /** Fields, or some of their values, that only tokens with this scope can write. */
  changes: string[];
}

export function scopeFacts(scope: Scope, api: Api): ScopeFacts {
  const fields = api.resources.flatMap(everyField);
  const named = (chosen: typeof fields) =>
    chosen.map(({ resource, path }) => [resource.command, ...path].join('.'));
  return {
    scope,
    about: scopes[scope],
    commands: api.operations.filter((it) => it.scopes.includes(scope)).map(({ command }) => command),
    shows: named(fields.filter(({ field }) => field.traits.readScope === scope)),
    changes: named(fields.filter(({ field }) => field.traits.writeScope === scope)),
  };
}

export function allScopeFacts(api: Api): ScopeFacts[] {
  return scopeNames.map((scope) => scopeFacts(scope, api));
}
