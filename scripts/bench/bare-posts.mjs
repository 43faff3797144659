/** What a program costs at least: undici posts the records of a file, a few at a time, and looks at each answer. */
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

const { BOH_BASE_URL, BOH_TOKEN, ROWS = '', CONCURRENCY = '4' } = process.env;
const [header = '', ...lines] = readFileSync(ROWS, 'utf8').trimEnd().split('\n');
const names = header.split(',');
const bodies = lines.map((line) =>
  JSON.stringify(Object.fromEntries(line.split(',').map((cell, at) => [names[at], cell]))),
);
const pool = new Pool(BOH_BASE_URL, { connections: Number(CONCURRENCY), pipelining: 1 });
const headers = { authorization: `Bearer ${BOH_TOKEN}`, 'content-type': 'application/json' };

async function work() {
  for (let body = bodies.shift(); body !== undefined; body = bodies.shift()) {
    const answer = await pool.request({ method: 'POST', path: '/customers', headers, body });
    const { data } = await answer.body.json();
    if (!data?.id) throw new Error(`it answered ${answer.statusCode}`);
    process.stdout.write(`${data.id}\n`);
  }
}

await Promise.all(Array.from({ length: Number(CONCURRENCY) }, work));
await pool.close();
