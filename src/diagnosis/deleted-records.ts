/** Does the service list deleted records beside active ones, or by themselves? Backups, copies and mirrors read accordingly. */
import { operation } from '../contract/operation.ts';
import { Failure } from '../errors.ts';
import { isDeleted } from '../session/list.ts';
import { showsDeleted } from '../session/list-with-deleted.ts';
import { openSession } from '../session/session.ts';
import type { Settings } from '../settings/settings.ts';
import { type Finding, ok, skipped, warning } from './finding.ts';
import type { Surroundings } from './surroundings.ts';

const check = 'Deleted records';

/** How many lists are looked at for one that has a deleted record. */
const maxLists = 3;

/** Sends up to three requests, each for the first page of a list with deleted records. */
export async function checkDeletedRecords(
  settings: Settings,
  { api, env, signal }: Pick<Surroundings, 'api' | 'env' | 'signal'>,
): Promise<Finding> {
  const session = openSession({ api, settings, env, signal });
  const lists = api.collections
    .filter(showsDeleted)
    .flatMap((resource) => operation(resource, 'list') ?? [])
    .slice(0, maxLists);
  try {
    for (const list of lists) {
      const query = { filters: { is_deleted: 'true' } };
      const pages = session.list({ operation: list, query }, { isFirstPageOnly: true }).pages();
      for await (const { rows } of pages) {
        const deleted = rows.filter(isDeleted).length;
        if (deleted === 0) continue;
        return deleted < rows.length ? ok(check, 'are listed beside active ones') : byThemselves(settings);
      }
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return skipped(check, `not known: ${error.message}`);
  }
  return skipped(check, `not known: the first pages of ${lists.length} lists have none`);
}

function byThemselves({ wire }: Settings): Finding {
  if (wire.deletedFilter === 'only') return ok(check, 'are listed by themselves');
  return warning(
    check,
    'seem to be listed by themselves: the first page of a list with deleted records has no active one',
    'Reading them takes two lists. To save the first request: boh config set wire.deleted_filter only',
  );
}
