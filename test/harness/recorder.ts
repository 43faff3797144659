/** A service that records requests byte for byte, and responds with the minimum that the API document promises. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RecordedRequest {
  method: string;
  target: string;
  body: string;
  headers: IncomingMessage['headers'];
}

export interface Recorder {
  baseUrl: string;
  /** Returns the requests since the last call. */
  takeRequests(): RecordedRequest[];
  close(): Promise<void>;
}

/** Starts the recorder. `data` replaces the default `data` of responses by request, such as `GET /whoami`. */
export async function startRecorder(data: Record<string, unknown> = {}): Promise<Recorder> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push({ method, target: url, body: await text(request), headers });
    response.setHeader('content-type', 'application/json');
    const customData = data[`${method} ${url}`];
    response.end(
      customData === undefined ? defaultResponse(method, url) : JSON.stringify({ data: customData }),
    );
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

function defaultResponse(method: string, url: string): string {
  if (method === 'DELETE' || url.endsWith('/restore')) return '';
  if (url === '/whoami') return JSON.stringify({ data: { user: { id: 'me' } } });
  const isList = method === 'GET' && !/^\/\w+\/[^?]/.test(url);
  // The response has the id of the path.
  const [, id = 'new-record'] = url.slice(1).split(/[/?]/);
  return JSON.stringify({ data: isList ? [] : { id: decodeURIComponent(id) } });
}
