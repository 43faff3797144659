/** Stands before a validating proxy and notes what it says of each answer in the header `sl-violations`. */
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ViolationRecorder {
  baseUrl: string;
  /** How many answers came by. */
  readonly answers: number;
  readonly violations: readonly string[];
  close(): Promise<void>;
}

export async function startViolationRecorder(proxy: string): Promise<ViolationRecorder> {
  const violations: string[] = [];
  let answers = 0;
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const forwarded = send(proxy + url, { method, headers }, (answer) => {
      answers++;
      const found = answer.headers['sl-violations'];
      if (found !== undefined) violations.push(`${method} ${url} (${answer.statusCode}): ${String(found)}`);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', (error) => outgoing.destroy(error));
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    get answers() {
      return answers;
    },
    violations,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
