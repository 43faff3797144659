/** A program that adds profiles to the configuration and prints a dot after each. */
import { addProfile } from '../../src/account/settings/config.ts';
import { openStore } from '../../src/account/settings/store.ts';

const [prefix = 'profile', count = '1'] = process.argv.slice(2);
const store = openStore(process.env);
for (let index = 0; index < Number(count); index++) {
  await store.update((config) =>
    addProfile(config, `${prefix}-${index}`, { business_name: 'x'.repeat(2_000) }),
  );
  process.stdout.write('.');
}
