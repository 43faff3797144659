/** Reads records of a sandbox with their secrets, as its service returns them. boh would redact them. */
import { api } from '../../src/api/resources/index.ts';
import { openSandbox } from '../../src/sandbox/service.ts';
import { sandboxFile } from './demo-business.ts';

/** Returns all records of a list, such as `/suppliers`. */
export async function readSandboxRecords(
  config: string,
  path: string,
  name = 'default',
): Promise<Record<string, string>[]> {
  const sandbox = await openSandbox({ api, file: sandboxFile(config, name) });
  const headers = { authorization: `Bearer ${sandbox.ownerToken()}` };
  const readPage = (page: number) =>
    JSON.parse(sandbox.handle({ method: 'GET', target: `${path}?page=${page}`, headers, body: '' }).body);
  try {
    const { meta } = readPage(1);
    return Array.from({ length: meta.last_page }, (_, index) => readPage(index + 1).data).flat();
  } finally {
    sandbox.close();
  }
}
