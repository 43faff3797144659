/** Fills a new sandbox: what every business has, and the demo business unless it is to be empty. */

import { references } from '../../resources/references.ts';
import { writeMoment } from '../business/calendar.ts';
import { idFrom } from '../ids.ts';
import type { Database } from '../store/database.ts';
import { writeFact } from '../store/facts.ts';
import { insertRow } from '../store/rows.ts';
import { tableNamed } from '../store/tables.ts';

export function fill(database: Database, { now }: { now: number; isEmpty: boolean }): void {
  const moment = writeMoment(now);
  const owner = idFrom('users/owner');
  insertRow(database, tableNamed('users'), {
    id: owner,
    is_owner: 1,
    name: 'Nadia Rahman',
    lang: 'en',
    email: 'nadia@example.com',
    created_at: moment,
    updated_at: moment,
  });
  for (const { name, known, one } of references)
    insertRow(database, tableNamed(name), { id: known, name: one });
  writeFact(database, 'business', { id: idFrom('business'), name: 'Demo' });
}
