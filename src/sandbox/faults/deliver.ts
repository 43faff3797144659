/** Applies a fault to a request: another response, half of one, or none at all. */
import type { ServiceResponse } from '../http/message.ts';
import { jsonAnswer } from '../http/message.ts';
import type { Decision } from './engine.ts';

/** The response, and how much of it is sent. */
export interface Delivery {
  answer: ServiceResponse;
  /** `none`: the connection breaks without a response. `half`: it breaks in the middle of the body. */
  sent: 'whole' | 'half' | 'none';
}

/** Lets the service answer, which commits the request. */
export type Answer = () => Promise<ServiceResponse>;

/** Applies the decision about a request. */
export async function deliver({ fault, headers }: Decision, answering: Answer): Promise<Delivery> {
  const { answer, sent } = await applyFault(fault, answering);
  return { answer: { ...answer, headers: { ...headers, ...answer.headers } }, sent };
}

async function applyFault(fault: Decision['fault'], answering: Answer): Promise<Delivery> {
  if (fault === undefined) return { answer: await answering(), sent: 'whole' };
  if (fault.fault === 'half_body') return { answer: await answering(), sent: 'half' };
  if (fault.fault === 'over_limit') return { answer: tooMany, sent: 'whole' };
  if (fault.after_commit) await answering();
  switch (fault.fault) {
    case 'reset':
      return { answer: { status: 0, headers: {}, body: '' }, sent: 'none' };
    case 'html':
      return { answer: htmlAnswer(fault.status), sent: 'whole' };
    case 'status':
      return { answer: statusAnswer(fault.status, fault.retry_after), sent: 'whole' };
  }
}

const tooMany = jsonAnswer(429, { message: 'Too Many Attempts.' });

/** A 429 carries the headers of a rate limit, as the service's does. */
function statusAnswer(status: number, given: string | number | null | undefined): ServiceResponse {
  const isLimit = status === 429;
  const retryAfter = given === undefined && isLimit ? 1 : given;
  return jsonAnswer(
    status,
    { message: isLimit ? 'Too Many Attempts.' : 'A fault of the sandbox.' },
    {
      ...(retryAfter !== undefined && retryAfter !== null && { 'retry-after': String(retryAfter) }),
      ...(isLimit && { 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '0' }),
    },
  );
}

function htmlAnswer(status: number): ServiceResponse {
  const body = '<!doctype html>\n<title>Please wait</title>\n<h1>The service is being maintained</h1>\n';
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}
