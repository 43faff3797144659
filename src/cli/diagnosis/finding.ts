/** The results of the checks of `boh doctor`. */

import type { Flags } from '../../account/settings/resolve.ts';
import type { Api } from '../../api/contract/api.ts';
import type { Environment } from '../../base/environment.ts';
import { type Category, Failure } from '../../base/errors.ts';
import type { Hint } from '../../base/hint.ts';

/** The result of one check. */
export interface Finding {
  /** The name of the check, one or two words. */
  check: string;
  /** A problem prevents commands from working; a warning doesn't. */
  status: 'ok' | 'warning' | 'problem' | 'skipped';
  message: string;
  /** How to fix the problem. */
  remedy?: Hint;
  /** For a problem: the failure category of the commands that don't work because of it. */
  category?: Category;
}

export function passedFinding(check: string, message: string): Finding {
  return { check, status: 'ok', message };
}

export function warningFinding(check: string, message: string, remedy: Hint): Finding {
  return { check, status: 'warning', message, remedy };
}

export function skippedFinding(check: string, message: string): Finding {
  return { check, status: 'skipped', message };
}

/** Returns a problem; `category` is the failure category of the commands that it breaks. */
export function problemFinding(check: string, category: Category, message: string, remedy?: Hint): Finding {
  return { check, status: 'problem', category, message, ...(remedy !== undefined && { remedy }) };
}

/** Returns a `Failure` as a problem. Throws any other error, which is a bug. */
export function findingFromError(check: string, error: unknown): Finding {
  if (!(error instanceof Failure)) throw error;
  return problemFinding(check, error.category, error.message, error.details.hint);
}

export interface DiagnosisContext {
  api: Api;
  env: Environment;
  /** The settings from the command line. */
  flags: Flags;
  /** Whether requests must not be sent. If so, the service isn't checked. */
  offline: boolean;
  signal: AbortSignal;
  now(): Date;
}
