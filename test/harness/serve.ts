/** A service for one test, with a response for each method and path. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TestService {
  baseUrl: string;
  /** Returns the requests since the last call as `METHOD /path?query`, percent-decoded. */
  takeRequests(): string[];
  close(): Promise<void>;
}

/** Responses by request: a body, which is sent with status 200, or a status and a body. Bodies other than strings are sent as JSON. */
export type Responses = Readonly<Record<string, unknown>>;

/** Starts a service that looks up `METHOD /path?query`, then `METHOD /path`, and otherwise responds with 404. */
export async function serve(responses: Responses): Promise<TestService> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const requestLine = `${request.method} ${decodeURIComponent(request.url ?? '')}`;
    requests.push(requestLine);
    const [withoutQuery = ''] = requestLine.split('?');
    const configured = responses[requestLine] ?? responses[withoutQuery] ?? [404, { message: 'Not found.' }];
    const [status, body] = Array.isArray(configured) ? configured : [200, configured];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    takeRequests: () => requests.splice(0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
