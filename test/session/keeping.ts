/** A service that keeps a few records, for upserts: lists answer with all of a kind, whatever they are asked for. */
import { upsertOf } from '../../src/contract/composite.ts';
import type { Resource } from '../../src/contract/resource.ts';
import { suppliers } from '../../src/resources/suppliers.ts';
import type { SessionOptions } from '../../src/session/session.ts';
import { type Upsert, upsertRecord } from '../../src/session/upsert.ts';
import { type Asked, sessionOver } from './open.ts';

type Records = Record<string, Record<string, unknown>>;

/** Records by path; lists answer with all of those below, whatever they are asked for, unless `answer` says otherwise. */
export function service(
  records: Records,
  options: Partial<SessionOptions> = {},
  answer: (asked: Asked) => object | undefined = () => undefined,
) {
  const { session, asked } = sessionOver((one) => {
    const own = answer(one);
    if (own) return own;
    const [path = ''] = one.target.split('?');
    const record = records[path];
    if (one.method === 'POST') return { data: { id: 'new', ...(one.body as object) } };
    if (one.method === 'PUT')
      return path.endsWith('/restore')
        ? { status: 200, body: '' }
        : { data: { id: path.split('/')[2], ...record, ...(one.body as object) } };
    if (record) return { data: record };
    const below = Object.entries(records).flatMap(([key, each]) =>
      key.startsWith(`${path}/`) ? [each] : [],
    );
    const rows = below.filter(({ deleted_at: at }) => one.target.includes('is_deleted') || !at);
    return path.split('/').length > 2
      ? { status: 404, body: '{}' }
      : { data: rows, meta: { current_page: 1, last_page: 1, total: rows.length } };
  }, options);
  const writes = () =>
    asked
      .filter(({ method }) => method !== 'GET')
      .map(({ method, target, body }) => [`${method} ${target}`, body]);
  const lists = () => asked.filter(({ method }) => method === 'GET').map(({ target }) => target);
  const upsert = (wanted: Partial<Upsert> & Pick<Upsert, 'body'>, resource: Resource = suppliers) => {
    const composed = upsertOf(resource);
    if (!composed) throw new Error('no upsert');
    return upsertRecord(session, {
      operation: composed,
      onDeleted: 'refuse',
      ifExists: 'update',
      ...wanted,
    });
  };
  return { session, upsert, writes, lists };
}
