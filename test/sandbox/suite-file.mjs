/**
 * One file of a suite that runs against a served sandbox: 50 tests, each in a sandbox of its own. Prints a hash of what
 * they left. Runs as a process: `suite-file.mjs URL CONTROL_TOKEN NUMBER`.
 */
import { createHash } from 'node:crypto';

const [url, controlToken, file] = process.argv.slice(2);
const hash = createHash('sha256');

async function send(target, method, token, body) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(target, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${await response.text()}`);
  return response.json();
}

for (let test = 0; test < 50; test++) {
  const from = test % 2 === 0 ? 'demo' : 'start';
  const created = await send(`${url}/_boh/sandboxes`, 'POST', controlToken, { from });
  const control = (method, path, body) => send(created.control_url + path, method, controlToken, body);
  const name = `Tag ${file} ${test}`;
  const tag = await send(`${created.base_url}/tags`, 'POST', created.token, { name, type: 5 });
  await control('PUT', '/clock', { advance: '26h' });
  await Promise.all(
    ['a', 'b', 'c'].map((key) =>
      send(`${created.base_url}/suppliers`, 'POST', created.token, {
        name: `${name} ${key}`,
        tags: [{ id: tag.data.id }],
      }),
    ),
  );
  await control('GET', '/requests?method=POST&count=4&wait=10s');
  const { tags, suppliers } = await control('GET', '/dump');
  if (suppliers.filter((supplier) => supplier.name.startsWith(name)).length !== 3)
    throw new Error('missing suppliers');
  hash.update(JSON.stringify({ tags, suppliers }));
  await control('POST', '/reset', { from: 'empty' });
  if ((await control('GET', '/dump?resource=customers')).customers.length > 0) throw new Error('not empty');
  await send(`${url}/_boh/sandboxes/${created.id}`, 'DELETE', controlToken);
}
process.stdout.write(hash.digest('hex'));
