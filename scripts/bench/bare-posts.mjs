/** Measures the lower bound for an import: posts the records of a file with undici alone, and checks each response. */
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

const { BOH_BASE_URL, BOH_TOKEN, ROWS = '', CONCURRENCY = '4' } = process.env;
const [header = '', ...lines] = readFileSync(ROWS, 'utf8').trimEnd().split('\n');
const names = header.split(',');
const bodies = lines.map((line) =>
  JSON.stringify(Object.fromEntries(line.split(',').map((cell, index) => [names[index], cell]))),
);
const pool = new Pool(BOH_BASE_URL, { connections: Number(CONCURRENCY), pipelining: 1 });
const headers = { authorization: `Bearer ${BOH_TOKEN}`, 'content-type': 'application/json' };

async function postUntilDone() {
  for (let body = bodies.shift(); body !== undefined; body = bodies.shift()) {
    const response = await pool.request({ method: 'POST', path: '/customers', headers, body });
    const { data } = await response.body.json();
    if (!data?.id) throw new Error(`unexpected response: ${response.statusCode}`);
    process.stdout.write(`${data.id}\n`);
  }
}

await Promise.all(Array.from({ length: Number(CONCURRENCY) }, postUntilDone));
await pool.close();
