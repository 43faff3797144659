/** Makes the calls of the package foodics that the service has, and prints the results. Arguments: bundle, base URL, token. */
const [bundle, baseUrl, token] = process.argv.slice(2);
const { Foodics, FoodicsFilters } = await import(bundle);

const client = Foodics.create('test', token);
// The package has the address of the service in its source.
client.client.defaults.baseURL = `${baseUrl}/v5`;
const results = {};
for (const name of ['customers', 'products', 'categories', 'addresses', 'orders']) {
  const list = await client[name].search();
  const one = await client[name].find(list.foodics[0].id);
  results[name] = {
    status: list.status,
    count: list.foodics.length,
    total: list.total,
    isSame: one.foodics.id === list.foodics[0].id,
  };
}
const [product] = (await client.products.search()).foodics;
const byName = await client.products.search(new FoodicsFilters({ name: product.name }));
results.byName = byName.foodics.map(({ id }) => id).includes(product.id) && byName.foodics.length < 50;
const customer = await client.customers.create({ name: 'Rami', phone: '523456789', dial_code: '966' });
const address = await client.addresses.create({
  name: 'Home',
  description: 'Third floor',
  customer_id: customer.foodics.id,
});
results.created = [customer.foodics.name, address.foodics.name];
const missing = await client.customers.find('none').catch((error) => error);
results.missing = String(missing.message);
process.stdout.write(JSON.stringify(results));
