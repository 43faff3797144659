/** Reads records of a sandbox with their secrets, as its service returns them. boh would redact them. */
import { api } from '../../src/resources/index.ts';
import { openSandbox } from '../../src/sandbox/service.ts';
import { sandboxIn } from './demo-business.ts';

/** Returns all records of a list, such as `/suppliers`. */
export async function recordsIn(
  config: string,
  path: string,
  name = 'default',
): Promise<Record<string, string>[]> {
  const sandbox = await openSandbox({ api, file: sandboxIn(config, name) });
  const headers = { authorization: `Bearer ${sandbox.ownerToken()}` };
  const pageAt = (page: number) =>
    JSON.parse(sandbox.handle({ method: 'GET', target: `${path}?page=${page}`, headers, body: '' }).body);
  try {
    const { meta } = pageAt(1);
    return Array.from({ length: meta.last_page }, (_, at) => pageAt(at + 1).data).flat();
  } finally {
    sandbox.close();
  }
}
