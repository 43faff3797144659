/** Makes every call of the package foodics-node that the service has, and prints the results. Arguments: folder, base URL, token. */
const { createRequire } = require('node:module');

const [folder, baseUrl, token] = process.argv.slice(2);
const requireFrom = createRequire(`${folder}/package.json`);
// The package has the address of the service in a constant.
const constants = requireFrom.resolve('foodics-node/lib/constants.js');
require.cache[constants] = {
  id: constants,
  filename: constants,
  loaded: true,
  exports: { BASE_URL: `${baseUrl}/v5` },
};
const Client = requireFrom('foodics-node');

async function run() {
  const client = new Client(token);
  const results = { whoAmI: (await client.whoAmI()).data.business.name };
  for (const name of [
    'branches',
    'categories',
    'customers',
    'devices',
    'discounts',
    'inventoryitems',
    'modifiers',
    'orders',
    'products',
  ]) {
    const { data, meta } = await client[name].list({ pagination: { limit: 5000, page: 1 } });
    const all = await client[name].featchAll({});
    const one = await client[name].get(data[0].id);
    results[name] = {
      page: data.length,
      total: meta.total,
      all: all.length,
      isSame: one.data.id === data[0].id,
    };
  }
  const filtered = await client.customers.list({
    filter: { has_orders: true },
    include: ['tags', 'addresses'],
  });
  results.included = filtered.data.every(
    ({ tags, addresses }) => Array.isArray(tags) && Array.isArray(addresses),
  );
  const options = await client.modifiers.get((await client.modifiers.list()).data[0].id);
  results.options = Array.isArray(options.data.options);
  const category = (await client.categories.create({ name: 'Seasonal', unknown_field: 1 })).data;
  await client.categories.update(category.id, { reference: 'SEASON-1' });
  const changed = (await client.categories.get(category.id)).data;
  results.changed = [changed.name, changed.reference];
  await client.categories.delete(category.id);
  const customer = (
    await client.customers.create({ name: 'Noor', phone: '512345678', dial_code: '966', is_blacklisted: 0 })
  ).data;
  await client.customers.update(customer.id, { notes: 'Prefers a table outside' });
  const read = (await client.customers.get(customer.id)).data;
  results.customer = [read.name, Number(read.dial_code), Boolean(read.is_blacklisted), read.notes];
  process.stdout.write(JSON.stringify(results));
}

run().catch((error) => {
  process.stderr.write(JSON.stringify(error.body ?? String(error.stack ?? error)));
  process.exitCode = 1;
});
