/** A service with a few records, to test upserts. Its lists ignore filters, except `is_deleted`. */

import type { SessionOptions } from '../../src/account/session/session.ts';
import { upsertOf } from '../../src/api/contract/composite.ts';
import type { Resource } from '../../src/api/contract/resource.ts';
import { suppliers } from '../../src/api/resources/suppliers.ts';
import { type Upsert, upsertRecord } from '../../src/engine/runs/upsert.ts';
import { openTestSession, type RecordedRequest } from './test-session.ts';

type Records = Record<string, Record<string, unknown>>;

/**
 * Opens a session over a service with these records, by path. A response of `respond` replaces that of the service.
 * Returns functions that run an upsert, and that return the writes and the targets of the reads so far.
 */
export function openRecordService(
  records: Records,
  options: Partial<SessionOptions> = {},
  respond: (request: RecordedRequest) => object | undefined = () => undefined,
) {
  const { session, requests } = openTestSession((request) => {
    const response = respond(request);
    if (response) return response;
    const [path = ''] = request.target.split('?');
    const record = records[path];
    if (request.method === 'POST') return { data: { id: 'new', ...(request.body as object) } };
    if (request.method === 'PUT')
      return path.endsWith('/restore')
        ? { status: 200, body: '' }
        : { data: { id: path.split('/')[2], ...record, ...(request.body as object) } };
    if (record) return { data: record };
    const recordsBelow = Object.entries(records).flatMap(([recordPath, recordBelow]) =>
      recordPath.startsWith(`${path}/`) ? [recordBelow] : [],
    );
    const includesDeleted = request.target.includes('is_deleted');
    const rows = recordsBelow.filter(({ deleted_at: deletedAt }) => includesDeleted || !deletedAt);
    return path.split('/').length > 2
      ? { status: 404, body: '{}' }
      : { data: rows, meta: { current_page: 1, last_page: 1, total: rows.length } };
  }, options);
  const writes = () =>
    requests
      .filter(({ method }) => method !== 'GET')
      .map(({ method, target, body }) => [`${method} ${target}`, body]);
  const readTargets = () => requests.filter(({ method }) => method === 'GET').map(({ target }) => target);
  const upsert = (upsertOptions: Partial<Upsert> & Pick<Upsert, 'body'>, resource: Resource = suppliers) => {
    const operation = upsertOf(resource);
    if (!operation) throw new Error(`${resource.command} has no upsert`);
    return upsertRecord(session, { operation, onDeleted: 'refuse', ifExists: 'update', ...upsertOptions });
  };
  return { session, upsert, writes, readTargets };
}
