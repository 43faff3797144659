/** Applies a fault to a request: another response, half of a response, or no response. */
import { jsonResponse, type ServiceResponse } from '../http/message.ts';
import type { FaultDecision } from './engine.ts';

/** The response to a request, and the part of it that is sent. */
export interface Delivery {
  response: ServiceResponse;
  /** With `none`, the connection is closed without a response; with `half`, in the middle of the body. */
  sentPart: 'whole' | 'half' | 'none';
}

/** Handles the request and commits its changes. */
export type RequestHandler = () => Promise<ServiceResponse>;

/** Applies the decision about a request and returns its response. */
export async function deliver({ fault, headers }: FaultDecision, handle: RequestHandler): Promise<Delivery> {
  const { response, sentPart } = await applyFault(fault, handle);
  return { response: { ...response, headers: { ...headers, ...response.headers } }, sentPart };
}

async function applyFault(fault: FaultDecision['fault'], handle: RequestHandler): Promise<Delivery> {
  if (fault === undefined) return { response: await handle(), sentPart: 'whole' };
  if (fault.fault === 'half_body') return { response: await handle(), sentPart: 'half' };
  if (fault.fault === 'over_limit') return { response: tooManyRequests, sentPart: 'whole' };
  if (fault.after_commit) await handle();
  switch (fault.fault) {
    case 'reset':
      return { response: { status: 0, headers: {}, body: '' }, sentPart: 'none' };
    case 'html':
      return { response: htmlResponse(fault.status), sentPart: 'whole' };
    case 'status':
      return { response: statusResponse(fault.status, fault.retry_after), sentPart: 'whole' };
  }
}

const tooManyRequests = jsonResponse(429, { message: 'Too Many Attempts.' });

/** Returns a response with the status. A 429 has the headers of a rate limit, like those of the service. */
function statusResponse(
  status: number,
  retryAfterSetting: string | number | null | undefined,
): ServiceResponse {
  const isRateLimit = status === 429;
  const retryAfterHeader = retryAfterSetting === undefined && isRateLimit ? 1 : retryAfterSetting;
  return jsonResponse(
    status,
    { message: isRateLimit ? 'Too Many Attempts.' : 'Simulated error of the sandbox.' },
    {
      ...(retryAfterHeader !== undefined &&
        retryAfterHeader !== null && { 'retry-after': String(retryAfterHeader) }),
      ...(isRateLimit && { 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '0' }),
    },
  );
}

function htmlResponse(status: number): ServiceResponse {
  const body = '<!doctype html>\n<title>Please wait</title>\n<h1>The service is being maintained</h1>\n';
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}
