/** Files that name no record are hardly what somebody meant. */
import { usage } from '../../base/errors.ts';
import type { Declaration } from './declared.ts';

/** Throws `usage` where there is nothing to look at. */
export function demandRecords({ records, resources }: Declaration): void {
  if (records.length > 0) return;
  const names = resources.map(({ command }) => command).join(', ');
  throw usage('The files name no record.', {
    hint: `They name resources without any record of them: ${names}.`,
  });
}
