/** Runs a local server for measurements in a separate process. It returns a page of 50 customers for every request. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

/** Starts the server. */
export async function startService(): Promise<{ baseUrl: string; stop: () => void }> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { baseUrl: String(line).trim(), stop: () => child.kill() };
}

function customer(index: number): object {
  return {
    id: `8f7d6c5b-0000-4000-8000-${String(index).padStart(12, '0')}`,
    name: `Customer ${index}`,
    dial_code: 966,
    phone: `5550${String(index).padStart(5, '0')}`,
    email: index % 3 === 0 ? null : `customer${index}@example.com`,
    gender: index % 2 === 0 ? 1 : 2,
    birth_date: null,
    house_account_limit: null,
    house_account_balance: null,
    loyalty_balance: null,
    is_loyalty_enabled: true,
    is_blacklisted: false,
    is_house_account_enabled: false,
    tags: [],
    addresses: [],
    last_order_at: '2026-01-31 18:45:00',
    order_count: index,
    created_at: '2025-06-01 09:00:00',
    updated_at: '2026-01-31 18:45:00',
    deleted_at: null,
  };
}

function serve(): void {
  const page = JSON.stringify({
    data: Array.from({ length: 50 }, (_, index) => customer(index)),
    links: { first: null, last: null, prev: null, next: null },
    meta: { current_page: 1, from: 1, last_page: 1, path: '/customers', per_page: 50, to: 50, total: 50 },
  });
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(page);
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (address !== null && typeof address === 'object') {
      process.stdout.write(`http://127.0.0.1:${address.port}\n`);
    }
  });
}

if (import.meta.main) serve();
