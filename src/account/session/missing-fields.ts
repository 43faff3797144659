/** Collects fields of records that a result needs and that the service doesn't return, so that it isn't called complete. */

import type { Resource } from '../../api/contract/resource.ts';
import { Failure } from '../../base/errors.ts';

/** The missing fields of several resources. */
export class MissingFields {
  readonly #descriptions = new Set<string>();

  /** Returns a function that adds fields of a resource, for `onMissing` of its queries. */
  of({ nouns }: Resource): (paths: readonly string[]) => void {
    return (paths) => {
      for (const path of paths) this.#descriptions.add(`${path} of ${nouns}`);
    };
  }

  /** Describes the missing fields in a sentence; undefined if none is missing. */
  describe(): string | undefined {
    if (this.#descriptions.size === 0) return undefined;
    const names = [...this.#descriptions].join(', ');
    return `The service doesn't return ${names}, neither in lists nor in single records.`;
  }

  /** Throws `partial` if a field is missing. `consequence` is a sentence: "The export is incomplete." */
  throwIfAny(consequence: string): void {
    const description = this.describe();
    if (description === undefined) return;
    throw new Failure('partial', `${description} ${consequence}`, {
      hint: 'The token may lack a scope for them, or the service has no way to read them.',
    });
  }
}

/** Returns whether a failure is about a written result that lacks fields. */
export function isIncomplete(error: unknown): error is Failure {
  return error instanceof Failure && error.category === 'partial';
}
