/** Answers to what was read, kept whole for those who ask the same again before anybody has written. */
import type { SentResponse, ServiceRequest, ServiceResponse } from './http/message.ts';
import { Remembered } from './store/remembered.ts';

/** In bytes as they are sent. */
const most = 16_000_000;

export class Answers {
  readonly #kept = new Remembered<SentResponse>(most);

  /** `version` is the file’s as it is now. */
  find(version: string, request: ServiceRequest): SentResponse | undefined {
    const answer = this.#kept.find(version, nameOf(request));
    // Most are asked for once: only what is asked for again is worth its bytes.
    if (typeof answer?.body === 'string') answer.body = Buffer.from(answer.body);
    return answer;
  }

  /** What was read from a file of this version. */
  keep(version: string, request: ServiceRequest, answer: ServiceResponse): void {
    if (request.method !== 'GET') return;
    const name = nameOf(request);
    const weight = Buffer.byteLength(name) + Buffer.byteLength(answer.body);
    this.#kept.keep(version, name, { ...answer }, weight);
  }
}

/** All that an answer depends on besides the file: who asks for what, and by which name of the service. */
function nameOf({ target, headers }: ServiceRequest): string {
  return `${target}\n${headers.authorization}\n${headers.host}`;
}
