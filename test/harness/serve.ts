/** A service of a test's own: what it answers is told by method and path. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Served {
  baseUrl: string;
  close(): Promise<void>;
}

/** An answer is a body, sent with status 200, or a status with a body. Bodies that are no text are sent as JSON. */
export type Answers = Readonly<Record<string, unknown>>;

/** By `METHOD /path` without the query; anything else is not found. */
export async function serve(answers: Answers): Promise<Served> {
  const server = createServer((request, response) => {
    const [path] = (request.url ?? '').split('?');
    const answer = answers[`${request.method} ${path}`] ?? [404, { message: 'Not found.' }];
    const [status, body] = Array.isArray(answer) ? answer : [200, answer];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
