/** Determines the failure of a sync from its outcomes. */
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { SyncRound } from './round.ts';

/**
 * Returns the common failure if all resources failed for the same reason, a `partial` failure if some failed, and
 * undefined if none failed.
 */
export function roundFailure({ outcomes }: SyncRound): Failure | undefined {
  return syncFailure(outcomes) ?? incompleteFailure(outcomes);
}

/** Returns the failure for lists that kept changing, so that records may be missing in the mirror, and for missing relations. */
function incompleteFailure(outcomes: SyncRound['outcomes']): Failure | undefined {
  const names = outcomes.flatMap(({ nouns, synced }) => (synced?.incomplete === undefined ? [] : nouns));
  const missing = missingIn(outcomes);
  if (missing.length > 0) return new Failure('partial', `The mirror is incomplete. ${missing.join(' ')}`);
  if (names.length === 0) return undefined;
  return new Failure(
    'partial',
    `Some ${names.join(' and ')} may be missing: the list kept changing while it was read.`,
    {
      hint: boh.hint`The records that were read are in the mirror. To sync again: ${boh.mirror('mirror sync')}`,
    },
  );
}

/** Returns a sentence for each resource with fields or records that the service doesn't return. */
function missingIn(outcomes: SyncRound['outcomes']): string[] {
  return outcomes.flatMap(({ synced }) => synced?.missing ?? []);
}

function syncFailure(outcomes: SyncRound['outcomes']): Failure | undefined {
  const failedOutcomes = outcomes.flatMap(({ failure, ...outcome }) =>
    failure ? [{ ...outcome, failure }] : [],
  );
  const [firstFailed] = failedOutcomes;
  if (!firstFailed) return undefined;
  const hasSameCategory = failedOutcomes.every(
    ({ failure }) => failure.category === firstFailed.failure.category,
  );
  if (failedOutcomes.length === outcomes.length && hasSameCategory) return firstFailed.failure;
  const names = failedOutcomes.map(({ nouns }) => nouns).join(', ');
  return new Failure(
    'partial',
    [
      `${failedOutcomes.length} of ${outcomes.length} resources could not be synced: ${names}.`,
      ...missingIn(outcomes),
    ].join(' '),
    {
      hint: boh.hint`The others were synced. To show the errors: ${boh.mirror('mirror status')}`,
      failures: failedOutcomes.map(({ name, failure: { category, message } }) => ({
        id: name,
        category,
        message,
      })),
    },
  );
}
