/** What one check of `boh doctor` found. */

import type { Environment } from '../base/environment.ts';
import { type Category, Failure } from '../base/errors.ts';
import type { Hint } from '../base/hint.ts';
import type { Api } from '../contract/api.ts';
import type { Flags } from '../settings/layers.ts';

export interface Finding {
  /** What was looked at, in a word or two. */
  check: string;
  /** A warning is worth knowing, a problem keeps commands from working. */
  status: 'ok' | 'warning' | 'problem' | 'skipped';
  message: string;
  /** What to do about it. */
  remedy?: Hint;
  /** Of a problem: how the commands that it stops fail. */
  category?: Category;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message };
}

export function warning(check: string, message: string, remedy: Hint): Finding {
  return { check, status: 'warning', message, remedy };
}

export function skipped(check: string, message: string): Finding {
  return { check, status: 'skipped', message };
}

export function problem(check: string, category: Category, message: string, remedy?: Hint): Finding {
  return { check, status: 'problem', category, message, ...(remedy !== undefined && { remedy }) };
}

/** A failure that another part of boh designed, with its words. Anything else is a bug, and thrown on. */
export function problemFrom(check: string, error: unknown): Finding {
  if (!(error instanceof Failure)) throw error;
  return problem(check, error.category, error.message, error.details.hint);
}

/** What a diagnosis looks at. */
export interface Surroundings {
  api: Api;
  env: Environment;
  /** What the command line says about settings. */
  flags: Flags;
  /** Nothing is sent: what the service would say is not known. */
  offline: boolean;
  signal: AbortSignal;
  now(): Date;
}
