/** Serves pages of customers as fast as possible: `list-server.ts ROWS`. Prints the URL of the server. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const rowCount = Number(process.argv[2]);
const perPage = 50;
const lastPage = Math.max(1, Math.ceil(rowCount / perPage));

/** The text before, between and after the two numbers of a record. */
const [prefix, middle, suffix] = JSON.stringify({
  id: '8d8-NUMBER',
  name: 'Huda Al-Amin NUMBER',
  dial_code: 966,
  phone: '555000333',
  email: 'huda.alamin@example.com',
  gender: 2,
  birth_date: '1988-04-12',
  notes: 'Prefers a table by the window; “no nuts”, please.',
  is_blacklisted: false,
  is_house_account_enabled: true,
  house_account_limit: 1000,
  loyalty_balance: 12.5,
  tags: [{ id: '8d8-tag-1', name: 'VIP', name_localized: 'مميز', created_at: '2026-01-02 03:04:05' }],
  created_at: '2026-01-02 03:04:05',
  updated_at: '2026-02-03 04:05:06',
  deleted_at: null,
}).split('NUMBER');

/** The related records, whose names exports read. */
const tags = JSON.stringify({
  data: [{ id: '8d8-tag-1', name: 'VIP' }],
  meta: { current_page: 1, last_page: 1, per_page: perPage, total: 1 },
});

const whoami = JSON.stringify({
  data: { user: { id: 'user-1' }, business: { id: 'business-1', name: 'Bench' } },
});

/** The number of records that `POST /changes?count=N` changed last, and the time. */
let lastChange = { count: 0, at: '' };
/** The number of requests since it was last read. */
let requestCount = 0;

const currentTimestamp = () => new Date().toISOString().slice(0, 19).replace('T', ' ');

/** Returns the page of the records that changed after the time in the query. */
function pageOfChanges(url: string): string {
  const changedAfter = decodeURIComponent(/updated_after\]?=([^&]*)/.exec(url)?.[1] ?? '').replace('+', ' ');
  const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
  const count = lastChange.at > changedAfter ? lastChange.count : 0;
  const numbers = Array.from({ length: count }, (_, index) => index).slice(
    (page - 1) * perPage,
    page * perPage,
  );
  const data = numbers.map((number) => ({
    ...JSON.parse(`${prefix}${number}${middle}${number}${suffix}`),
    updated_at: lastChange.at,
  }));
  const lastChangesPage = Math.max(1, Math.ceil(count / perPage));
  return JSON.stringify({
    data,
    meta: { current_page: page, last_page: lastChangesPage, per_page: perPage, total: count },
  });
}

const server = createServer(({ url = '', method }, response) => {
  if (url.startsWith('/changes')) {
    if (method === 'POST')
      lastChange = { count: Number(/count=(\d+)/.exec(url)?.[1] ?? 0), at: currentTimestamp() };
    response.end(String(requestCount));
    requestCount = 0;
    return;
  }
  requestCount++;
  response.setHeader('content-type', 'application/json');
  if (url.startsWith('/tags')) return response.end(tags);
  if (url.startsWith('/whoami')) return response.end(whoami);
  if (url.includes('updated_after')) return response.end(pageOfChanges(url));
  const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
  const firstIndex = (page - 1) * perPage;
  const records: string[] = [];
  for (let number = firstIndex; number < Math.min(firstIndex + perPage, rowCount); number++) {
    records.push(`${prefix}${number}${middle}${number}${suffix}`);
  }
  const meta = {
    current_page: page,
    from: firstIndex + 1,
    last_page: lastPage,
    per_page: perPage,
    to: firstIndex + records.length,
    total: rowCount,
  };
  const links = { next: page < lastPage ? `/customers?page=${page + 1}` : null };
  const body = `{"data":[${records.join(',')}],"links":${JSON.stringify(links)},"meta":${JSON.stringify(meta)}}`;
  return response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
