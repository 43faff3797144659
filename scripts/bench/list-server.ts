/** A service that answers pages of customers as fast as it can: list-server.ts ROWS. Says its address on stdout. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const rows = Number(process.argv[2]);
const perPage = 50;
const lastPage = Math.max(1, Math.ceil(rows / perPage));

/** What stands around the two numbers of a record. */
const [before, between, after_] = JSON.stringify({
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

/** What else exports look at: the names of related records. */
const tags = JSON.stringify({
  data: [{ id: '8d8-tag-1', name: 'VIP' }],
  meta: { current_page: 1, last_page: 1, per_page: perPage, total: 1 },
});

const whoami = JSON.stringify({
  data: { user: { id: 'user-1' }, business: { id: 'business-1', name: 'Bench' } },
});

/** How many records have changed since the list was first read, as `POST /changes?count=N` has it, and when. */
let changed = { count: 0, at: '' };
let requests = 0;

const moment = () => new Date().toISOString().slice(0, 19).replace('T', ' ');

/** Those that have changed after a moment: the last ones that did, or none. */
function changedSince(url: string): string {
  const after = decodeURIComponent(/updated_after\]?=([^&]*)/.exec(url)?.[1] ?? '').replace('+', ' ');
  const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
  const count = changed.at > after ? changed.count : 0;
  const numbers = Array.from({ length: count }, (_, at) => at).slice((page - 1) * perPage, page * perPage);
  const data = numbers.map((number) => ({
    ...JSON.parse(`${before}${number}${between}${number}${after_}`),
    updated_at: changed.at,
  }));
  const last = Math.max(1, Math.ceil(count / perPage));
  return JSON.stringify({
    data,
    meta: { current_page: page, last_page: last, per_page: perPage, total: count },
  });
}

const server = createServer(({ url = '', method }, response) => {
  if (url.startsWith('/changes')) {
    if (method === 'POST') changed = { count: Number(/count=(\d+)/.exec(url)?.[1] ?? 0), at: moment() };
    response.end(String(requests));
    requests = 0;
    return;
  }
  requests++;
  response.setHeader('content-type', 'application/json');
  if (url.startsWith('/tags')) return response.end(tags);
  if (url.startsWith('/whoami')) return response.end(whoami);
  if (url.includes('updated_after')) return response.end(changedSince(url));
  const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
  const first = (page - 1) * perPage;
  const records: string[] = [];
  for (let number = first; number < Math.min(first + perPage, rows); number++) {
    records.push(`${before}${number}${between}${number}${after_}`);
  }
  const meta = {
    current_page: page,
    from: first + 1,
    last_page: lastPage,
    per_page: perPage,
    to: first + records.length,
    total: rows,
  };
  const links = { next: page < lastPage ? `/customers?page=${page + 1}` : null };
  const body = `{"data":[${records.join(',')}],"links":${JSON.stringify(links)},"meta":${JSON.stringify(meta)}}`;
  return response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
