/** Defines and parses saved views in the configuration: a list command with its flags under a name. */
import { usage } from '../base/errors.ts';

/** The user's flags by long name: a value, several values, or true. */
export type SavedFlags = Readonly<Record<string, string | boolean | readonly string[]>>;

/** A saved list with its flags. */
export interface SavedView {
  /** The resource, by its API name: `inventory_items`. */
  resource: string;
  flags: SavedFlags;
}

/** Views by name. */
export type SavedViews = Readonly<Record<string, SavedView>>;

/** Returns whether a name is valid for a view. */
export function isViewName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,63}$/u.test(name);
}

/** Returns the views in a configuration file. Throws a usage failure if they are invalid. */
export function parseViews(raw: unknown): SavedViews {
  const isValid =
    isRecord(raw) &&
    Object.entries(raw).every(
      ([name, view]) =>
        isViewName(name) &&
        isRecord(view) &&
        typeof view.resource === 'string' &&
        isRecord(view.flags) &&
        Object.values(view.flags).every(isFlagValue) &&
        Object.keys(view).length === 2,
    );
  if (!isValid) throw usage('A view must have a resource and flags.');
  return raw as SavedViews;
}

function isFlagValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((text) => typeof text === 'string');
  return typeof value === 'string' || typeof value === 'boolean';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
