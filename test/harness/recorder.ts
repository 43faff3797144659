/** A service that writes down what it is asked, byte for byte, and answers as little as the document promises. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Recorded {
  method: string;
  target: string;
  body: string;
  headers: IncomingMessage['headers'];
}

export interface Recorder {
  baseUrl: string;
  /** What has come since the last call. */
  take(): Recorded[];
  close(): Promise<void>;
}

/** `data` gives what stands under `data` in the answer to a request such as `GET /whoami`, where it is not the usual. */
export async function startRecorder(data: Record<string, unknown> = {}): Promise<Recorder> {
  const recorded: Recorded[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    recorded.push({ method, target: url, body: await text(request), headers });
    response.setHeader('content-type', 'application/json');
    const own = data[`${method} ${url}`];
    response.end(own === undefined ? answerTo(method, url) : JSON.stringify({ data: own }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    take: () => recorded.splice(0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answerTo(method: string, url: string): string {
  if (method === 'DELETE' || url.endsWith('/restore')) return '';
  if (url === '/whoami') return JSON.stringify({ data: { user: { id: 'me' } } });
  const isList = method === 'GET' && !/^\/\w+\/[^?]/.test(url);
  // Of a record that is named in the path, its own id.
  const [, id = 'it'] = url.slice(1).split(/[/?]/);
  return JSON.stringify({ data: isList ? [] : { id: decodeURIComponent(id) } });
}
