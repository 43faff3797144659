/** What can't be saved: the same pages over undici alone, parsed, and written as a line for each record. */
import { Agent } from 'undici';

const dispatcher = new Agent({ connections: 1 });
const origin = process.env.BOH_BASE_URL ?? '';
const headers = { accept: 'application/json', authorization: `Bearer ${process.env.BOH_TOKEN}` };

for (let page = 1, last = 1; page <= last; page++) {
  const path = page === 1 ? '/customers' : `/customers?page=${page}`;
  const answer = await dispatcher.request({ origin, path, method: 'GET', headers });
  const body = await answer.body.json();
  last = body.meta.last_page;
  const lines = body.data.map((row) => `${JSON.stringify(row)}\n`).join('');
  if (!process.stdout.write(lines)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}
await dispatcher.close();
