/** Records the violations that a validating proxy reports in the header `sl-violations` of responses. */
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running server that forwards requests to the validating proxy. */
export interface ViolationRecorder {
  baseUrl: string;
  /** The number of responses so far. */
  readonly responseCount: number;
  readonly violations: readonly string[];
  close(): Promise<void>;
}

/** Starts a recorder for the proxy with this URL. */
export async function startViolationRecorder(proxyUrl: string): Promise<ViolationRecorder> {
  const violations: string[] = [];
  let responseCount = 0;
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const proxyRequest = send(proxyUrl + url, { method, headers }, (response) => {
      responseCount++;
      const violation = response.headers['sl-violations'];
      if (violation !== undefined)
        violations.push(`${method} ${url} (${response.statusCode}): ${String(violation)}`);
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    proxyRequest.on('error', (error) => outgoing.destroy(error));
    incoming.pipe(proxyRequest);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    get responseCount() {
      return responseCount;
    },
    violations,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
