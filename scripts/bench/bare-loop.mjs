/** Measures the lower bound for reading a list: reads the same pages with undici alone and writes a line of JSON per record. */
import { Agent } from 'undici';

const dispatcher = new Agent({ connections: 1 });
const origin = process.env.BOH_BASE_URL ?? '';
const headers = { accept: 'application/json', authorization: `Bearer ${process.env.BOH_TOKEN}` };

for (let page = 1, lastPage = 1; page <= lastPage; page++) {
  const path = page === 1 ? '/customers' : `/customers?page=${page}`;
  const response = await dispatcher.request({ origin, path, method: 'GET', headers });
  const body = await response.body.json();
  lastPage = body.meta.last_page;
  const lines = body.data.map((record) => `${JSON.stringify(record)}\n`).join('');
  if (!process.stdout.write(lines)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}
await dispatcher.close();
