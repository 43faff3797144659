/** Lists active and deleted records, for services that treat is_deleted=true as "include" or as "only". */
import { expect, test } from 'vitest';
import { listWithDeleted, recordsWithDeleted } from '../../src/account/session/list.ts';
import type { Row } from '../../src/account/session/row.ts';
import type { Settings } from '../../src/account/settings/settings.ts';
import { operation } from '../../src/api/contract/operation.ts';
import { suppliers } from '../../src/api/resources/suppliers.ts';
import { fc } from '../harness/fast-check.ts';
import { openTestSession, type RecordedRequest, settings } from './test-session.ts';

const list = operation(suppliers, 'list');
if (!list) throw new Error('suppliers has no list');
const call = { operation: list, query: { filters: { code: 'A' } } };

type Filter = Settings['wire']['deletedFilter'];

const pageSize = 3;

/** Opens a session over these records, in pages of three. The behavior of the service may differ from the setting. */
function openService(records: readonly Row[], behavior: Filter, setting: Filter) {
  const respond = ({ target }: RecordedRequest) => {
    const url = new URL(target, 'http://localhost');
    const page = Number(url.searchParams.get('page') ?? 1);
    const wantsDeleted = url.searchParams.get('filter[is_deleted]') === 'true';
    const rows = records.filter(({ deleted_at: deletedAt }) =>
      wantsDeleted ? behavior === 'include' || deletedAt !== null : deletedAt === null,
    );
    const data = rows.slice((page - 1) * pageSize, page * pageSize);
    const lastPage = Math.max(1, Math.ceil(rows.length / pageSize));
    return {
      data,
      meta: { current_page: page, last_page: lastPage, total: rows.length, per_page: pageSize },
    };
  };
  const serviceSettings = { ...settings, wire: { ...settings.wire, deletedFilter: setting } };
  return openTestSession(respond, { settings: serviceSettings });
}

const filters = fc.constantFrom<Filter>('include', 'only');

test('recordsWithDeleted: returns each record once, with any behavior and setting of the service', async () => {
  const deletedFlags = fc.array(fc.boolean(), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(deletedFlags, filters, filters, async (flags, behavior, setting) => {
      const records = flags.map((isDeleted, index) => ({
        id: `s${index}`,
        name: `S${index}`,
        deleted_at: isDeleted ? '2026-11-01 10:00:00' : null,
      }));
      const { session } = openService(records, behavior, setting);
      const rows = (await Array.fromAsync(recordsWithDeleted(session, call))).flat();
      expect(rows.map(({ id }) => id).sort()).toEqual(records.map(({ id }) => id).sort());
    }),
  );
});

test('listWithDeleted: reads one list if its first page has an active record', async () => {
  const records = [
    { id: 'a', deleted_at: null },
    { id: 'b', deleted_at: '2026-11-01 10:00:00' },
  ];
  const { session, requests } = openService(records, 'include', 'include');
  const pages = await Array.fromAsync(listWithDeleted(session, call));
  expect(pages.map((page) => page.list)).toEqual(['all']);
  expect(requests).toHaveLength(1);
});
