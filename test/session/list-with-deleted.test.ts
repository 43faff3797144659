/** All records of a list, deleted ones included, of deployments that answer is_deleted=true in either way. */
import { expect, test } from 'vitest';
import { operation } from '../../src/contract/operation.ts';
import { suppliers } from '../../src/resources/suppliers.ts';
import { listWithDeleted, recordsWithDeleted } from '../../src/session/list.ts';
import type { Row } from '../../src/session/row.ts';
import type { Settings } from '../../src/settings/settings.ts';
import { fc } from '../harness/fast-check.ts';
import { type Asked, sessionOver, settings } from './open.ts';

const list = operation(suppliers, 'list');
if (!list) throw new Error('suppliers have a list');
const call = { operation: list, query: { filters: { code: 'A' } } };

type Filter = Settings['wire']['deletedFilter'];

const pageSize = 3;

/** A service with these records, in pages of three, whose settings on either side may not agree. */
function service(records: readonly Row[], answers: Filter, setting: Filter) {
  const answer = ({ target }: Asked) => {
    const url = new URL(target, 'http://localhost');
    const page = Number(url.searchParams.get('page') ?? 1);
    const wantsDeleted = url.searchParams.get('filter[is_deleted]') === 'true';
    const shown = records.filter(({ deleted_at: at }) =>
      wantsDeleted ? answers === 'include' || at !== null : at === null,
    );
    const data = shown.slice((page - 1) * pageSize, page * pageSize);
    const last = Math.max(1, Math.ceil(shown.length / pageSize));
    return { data, meta: { current_page: page, last_page: last, total: shown.length, per_page: pageSize } };
  };
  const own = { ...settings, wire: { ...settings.wire, deletedFilter: setting } };
  return sessionOver(answer, { settings: own });
}

const filters = fc.constantFrom<Filter>('include', 'only');

test('all records: each once, with any behavior and any setting of the service', async () => {
  const deleted = fc.array(fc.boolean(), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(deleted, filters, filters, async (areDeleted, answers, setting) => {
      const records = areDeleted.map((isDeleted, at) => ({
        id: `s${at}`,
        name: `S${at}`,
        deleted_at: isDeleted ? '2026-11-01 10:00:00' : null,
      }));
      const { session } = service(records, answers, setting);
      const read = (await Array.fromAsync(recordsWithDeleted(session, call))).flat();
      expect(read.map(({ id }) => id).sort()).toEqual(records.map(({ id }) => id).sort());
    }),
  );
});

test('a first page with an active record: the list is read once', async () => {
  const records = [
    { id: 'a', deleted_at: null },
    { id: 'b', deleted_at: '2026-11-01 10:00:00' },
  ]; // prettier-ignore
  const { session, asked } = service(records, 'include', 'include');
  const pages = await Array.fromAsync(listWithDeleted(session, call));
  expect(pages.map((page) => page.list)).toEqual(['all']);
  expect(asked).toHaveLength(1);
});
