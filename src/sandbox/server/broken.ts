/** What can’t be read as a request of HTTP: it gets an answer in the service’s form too, and its connection ends. */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { jsonAnswer, type ServiceResponse } from '../http/message.ts';
import { methodNotAllowed } from '../http/refusal.ts';

/** By the codes of Node’s own errors. */
const known: Readonly<Record<string, ServiceResponse>> = {
  HPE_HEADER_OVERFLOW: jsonAnswer(431, { message: 'The request is too long.' }),
  ERR_HTTP_REQUEST_TIMEOUT: jsonAnswer(408, { message: 'The request did not come to its end in time.' }),
};

const noHttp = jsonAnswer(400, { message: 'The request is not HTTP.' });

export function answerBroken({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === 'ECONNRESET') socket.destroy();
  else endWith(known[code] ?? noHttp, socket);
}

/** The sandbox is nobody’s proxy. */
export function refuseTunnel(socket: Duplex): void {
  endWith(methodNotAllowed('CONNECT', ['GET', 'POST', 'PUT', 'DELETE']).answer(), socket);
}

function endWith({ status, headers, body }: ServiceResponse, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const all = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
}
