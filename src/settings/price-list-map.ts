/** Locates the column maps of price lists, which boh remembers for each sender. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { appFolder } from '../base/app-folders.ts';
import type { Environment } from '../base/environment.ts';

/** Returns the file of a sender's column map. `account` identifies the business, and `sender` the record in it. */
export function priceListMapFile(
  environment: Environment,
  { service, business }: { service: string; business?: { id: string } | undefined },
  sender: string,
): string {
  const name = hash('sha256', JSON.stringify([service, business?.id, sender]), 'hex').slice(0, 24);
  return join(appFolder(environment, 'config'), 'price-lists', `${name}.json`);
}
