/** The failure that a sync ends with. */
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Round } from './round.ts';

/**
 * Returns the common failure if all failed for the same reason, a `partial` failure if some failed, and undefined if
 * none did.
 */
export function failureOf({ outcomes }: Round): Failure | undefined {
  return failedOf(outcomes) ?? incompleteOf(outcomes);
}

/** Returns the failure for lists that changed constantly, so that the mirror has only what was read. */
function incompleteOf(outcomes: Round['outcomes']): Failure | undefined {
  const names = outcomes.flatMap(({ nouns, synced }) => (synced?.incomplete === undefined ? [] : nouns));
  if (names.length === 0) return undefined;
  return new Failure(
    'partial',
    `Some ${names.join(' and ')} may be missing: the list kept changing while it was read.`,
    {
      hint: boh.hint`The records that were read are in the mirror. To sync again: ${boh.mirror('mirror sync')}`,
    },
  );
}

function failedOf(outcomes: Round['outcomes']): Failure | undefined {
  const failed = outcomes.flatMap(({ failure, ...outcome }) => (failure ? [{ ...outcome, failure }] : []));
  const [first] = failed;
  if (!first) return undefined;
  const isSame = failed.every(({ failure }) => failure.category === first.failure.category);
  if (failed.length === outcomes.length && isSame) return first.failure;
  const names = failed.map(({ nouns }) => nouns).join(', ');
  return new Failure(
    'partial',
    `${failed.length} of ${outcomes.length} resources could not be synced: ${names}.`,
    {
      hint: boh.hint`The others were synced. To show the errors: ${boh.mirror('mirror status')}`,
      failures: failed.map(({ name, failure: { category, message } }) => ({
        id: name,
        category,
        message,
      })),
    },
  );
}
